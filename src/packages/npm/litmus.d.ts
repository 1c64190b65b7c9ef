export class LitmusError extends Error {}

export interface Result {
  verdict: "ok" | "no" | "undefined" | "deadlock" | "may-deadlock" | "race" | "unknown";
  claim: { kind: string; text: string; holds: boolean | null };
  outcomes: Record<string, number | string>[];
  complete: boolean;
  races: { location: string; first: { event: string; line: number }; second: { event: string; line: number } }[];
  rests_on: string[][];
  /** What `litmus check` prints. */
  report: string;
  [more: string]: unknown;
}

export interface Litmus {
  /** Every outcome of a test; throws LitmusError where the text is none. */
  check(text: string, options?: { reading?: string; seconds?: number }): Result;
  /** Why an outcome of the test that was checked last ("P1:r0=1; P1:r1=0") cannot be. */
  explain(outcome: string, options?: { seconds?: number }): { report: string; [more: string]: unknown };
}

/** An engine, which takes 64 MB and answers one question after the other. */
export function create(): Promise<Litmus>;
