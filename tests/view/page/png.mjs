// As much of PNG as screenshots need: eight bits a channel, colour with or without alpha, not interlaced.
import { deflateSync, inflateSync } from "node:zlib";

const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);

// { width, height, rgb }: three bytes for each pixel.
export function decode(png) {
  let at = signature.length;
  let width, height, channels;
  const data = [];
  while (at < png.length) {
    const length = png.readUInt32BE(at);
    const type = png.toString("latin1", at + 4, at + 8);
    const body = png.subarray(at + 8, at + 8 + length);
    if (type === "IHDR") {
      [width, height] = [body.readUInt32BE(0), body.readUInt32BE(4)];
      channels = { 2: 3, 6: 4 }[body[9]];
      if (body[8] !== 8 || !channels || body[12] !== 0) throw new Error("a PNG of another kind");
    } else if (type === "IDAT") {
      data.push(body);
    }
    at += 12 + length;
  }
  const raw = inflateSync(Buffer.concat(data));
  const stride = width * channels;
  const rows = Buffer.alloc(stride * height);
  const rgb = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; ++y) {
    const filter = raw[y * (stride + 1)];
    for (let x = 0; x < stride; ++x) {
      const left = x >= channels ? rows[y * stride + x - channels] : 0;
      const above = y > 0 ? rows[(y - 1) * stride + x] : 0;
      const corner = x >= channels && y > 0 ? rows[(y - 1) * stride + x - channels] : 0;
      const guess = [0, left, above, (left + above) >> 1, paeth(left, above, corner)][filter];
      rows[y * stride + x] = raw[y * (stride + 1) + 1 + x] + guess;
    }
    for (let x = 0; x < width; ++x) rows.copy(rgb, (y * width + x) * 3, y * stride + x * channels, y * stride + x * channels + 3);
  }
  return { width, height, rgb };
}

function paeth(a, b, c) {
  const p = a + b - c;
  const [pa, pb, pc] = [Math.abs(p - a), Math.abs(p - b), Math.abs(p - c)];
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

export function encode({ width, height, rgb }) {
  const raw = Buffer.alloc((width * 3 + 1) * height);
  for (let y = 0; y < height; ++y) rgb.copy(raw, y * (width * 3 + 1) + 1, y * width * 3, (y + 1) * width * 3);
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([signature, chunk("IHDR", head), chunk("IDAT", deflateSync(raw, { level: 9 })), chunk("IEND", Buffer.alloc(0))]);
}

function chunk(type, body) {
  const named = Buffer.concat([Buffer.from(type, "latin1"), body]);
  const out = Buffer.alloc(named.length + 8);
  out.writeUInt32BE(body.length, 0);
  named.copy(out, 4);
  out.writeUInt32BE(crc(named), named.length + 4);
  return out;
}

function crc(bytes) {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; ++bit) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return (sum ^ 0xffffffff) >>> 0;
}

// Half as wide and high, each pixel the mean of four: small differences in how letters are drawn go.
export function halved({ width, height, rgb }) {
  const small = { width: width >> 1, height: height >> 1, rgb: Buffer.alloc((width >> 1) * (height >> 1) * 3) };
  for (let y = 0; y < small.height; ++y)
    for (let x = 0; x < small.width; ++x)
      for (let c = 0; c < 3; ++c) {
        const at = (2 * y * width + 2 * x) * 3 + c;
        small.rgb[(y * small.width + x) * 3 + c] = (rgb[at] + rgb[at + 3] + rgb[at + 3 * width] + rgb[at + 3 * width + 3] + 2) >> 2;
      }
  return small;
}

// The share of pixels of which some channel differs by more than `most`; 1 for pictures of different sizes.
export function difference(a, b, most) {
  if (a.width !== b.width || a.height !== b.height) return 1;
  let differ = 0;
  for (let at = 0; at < a.rgb.length; at += 3)
    if ([0, 1, 2].some((c) => Math.abs(a.rgb[at + c] - b.rgb[at + c]) > most)) ++differ;
  return differ / (a.width * a.height);
}
