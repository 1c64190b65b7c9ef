// What is cut and what scrolls sideways on pages, measured in a browser. The pages of a whole report, in parts, with progress:
//
//     node sideways.mjs SITE [PART/PARTS]
//
// SITE is a folder that `litmus report` wrote. Ends with 1 where something is amiss.
import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Browser } from "./driver.mjs";

const widths = [1600, 1280, 400];

// Runs in the page: opens what is folded, and looks for what is wider than its place and does not show it.
const look = `
  document.querySelectorAll("details").forEach((closed) => { closed.open = true; });
  const width = document.documentElement.clientWidth, found = [];
  if (document.documentElement.scrollWidth > width) found.push("the page is " + document.documentElement.scrollWidth + " px wide");
  for (const one of document.querySelectorAll("main *")) {
    if (one.closest("svg") && one.tagName !== "svg") continue;
    const box = one.getBoundingClientRect(), name = one.tagName + "." + one.getAttribute("class");
    if (one.tagName === "svg" && (box.left < 0 || box.right > width + 1)) found.push("a picture is cut: " + Math.round(box.left) + " to " + Math.round(box.right));
    if (one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0 && getComputedStyle(one).overflowX !== "visible" && !/INPUT|SELECT/.test(one.tagName))
      found.push(name + " has " + one.scrollWidth + " px in " + one.clientWidth);
  }
  return { found: found.slice(0, 3), pictures: document.querySelectorAll("main svg").length };`;

// Opens a page and measures it at each width. Gives what is amiss, a line each, and how many pictures were seen.
export async function measure(browser, url) {
  const amiss = [];
  let pictures = 0;
  await browser.open(url);
  for (const width of widths) {
    await browser.size(width, 900);
    const seen = await browser.run(look);
    amiss.push(...seen.found.map((what) => `${url} at ${width} px: ${what}`));
    pictures = seen.pictures;
  }
  return { amiss, pictures };
}

// The pages below a folder.
const pagesOf = (folder) => readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? pagesOf(join(folder, entry.name)) : entry.name.endsWith(".html") ? [join(folder, entry.name)] : []).sort();

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [site, share = "1/1"] = process.argv.slice(2), [part, parts] = share.split("/").map(Number);
  const pages = pagesOf(resolve(site)).filter((page, i) => i % parts === part - 1), browser = await Browser.start();
  let amiss = 0, pictures = 0;
  for (const [i, page] of pages.entries()) {
    const seen = await measure(browser, pathToFileURL(page).href);
    seen.amiss.forEach((line) => console.log(line));
    amiss += seen.amiss.length > 0;
    pictures += seen.pictures;
    if ((i + 1) % 100 === 0) console.log(`${i + 1} of ${pages.length} pages`);
  }
  await browser.stop();
  console.log(`${pages.length} pages, ${pictures} pictures, at ${widths.join(", ")} px: ${amiss} pages amiss`);
  process.exitCode = amiss > 0 ? 1 : 0;
}
