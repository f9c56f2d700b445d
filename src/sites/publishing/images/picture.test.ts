import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { XMLValidator } from "fast-xml-parser";
import { createPng } from "../../../../test/support/inputs/pictures.ts";
import { measureCpuMs } from "../../../../test/support/time/cpu-time.ts";
import { findSvgFault, maxSide, parsePicture } from "./picture.ts";

const fromBase64 = (...parts: readonly string[]) => Buffer.from(parts.join(""), "base64");

/** 3 × 5 pixels, encoded by a browser. */
const jpeg = fromBase64(
  "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAFA3PEY8MlBGQUZaVVBfeMiCeG5uePWvuZHI/////////////////////",
  "///////////////////////////////2wBDAVVaWnhpeOuCguv///////////////////////////////////////",
  "//////////////////////////////////wAARCAAFAAMDASIAAhEBAxEB/8QAFAABAAAAAAAAAAAAAAAAAAAAAP/",
  "EABQQAQAAAAAAAAAAAAAAAAAAAAD/xAAVAQEBAAAAAAAAAAAAAAAAAAABA//EABQRAQAAAAAAAAAAAAAAAAAAAAD",
  "/2gAMAwEAAhEDEQA/AAASf//Z",
);
const lossyWebp = fromBase64(
  "UklGRiwAAABXRUJQVlA4ICAAAABwAQCdASoDAAUAB0CWJaACdAF1AADwZ9vm3yh2HiAAAA==",
);
const losslessWebp = fromBase64("UklGRh4AAABXRUJQVlA4TBEAAAAvAgABAAdQ1c7UrP+BiOh/AAA=");
const extendedWebp = fromBase64(
  "UklGRj4AAABXRUJQVlA4WAoAAAAgAAAAAgAABAAAVlA4ICAAAABwAQCdASoDAAUAB0CWJaACdAF1AADwZ9vm3yh2",
  "HiAAAA==",
);
const gif = fromBase64("R0lGODlhAwAFAIAAADOqZgAAACwAAAAAAwAFAAACA4RvBQA7");

/** The directory of an icon declares 16 × 16 regardless of its content. */
function createIcon(inner: Buffer): Buffer {
  const directory = Buffer.alloc(22);
  directory.writeUInt16LE(1, 2);
  directory.writeUInt16LE(1, 4);
  directory.writeUInt8(16, 6);
  directory.writeUInt8(16, 7);
  directory.writeUInt32LE(inner.length, 14);
  directory.writeUInt32LE(22, 18);
  return Buffer.concat([directory, inner]);
}

function createBitmap(width: number, height: number): Buffer {
  const header = Buffer.alloc(40);
  header.writeUInt32LE(40, 0);
  header.writeInt32LE(width, 4);
  header.writeInt32LE(height * 2, 8);
  return header;
}

function createAvif(width: number, height: number, brand = "avif"): Buffer {
  const size = Buffer.alloc(8);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  return Buffer.concat([
    Buffer.from(`\0\0\0\x18ftyp${brand}\0\0\0\0mif1miaf`, "latin1"),
    Buffer.from("\0\0\0\x14ispe\0\0\0\0", "latin1"),
    size,
  ]);
}

function patch(bytes: Buffer, write: (copy: Buffer) => void): Buffer {
  const copy = Buffer.from(bytes);
  write(copy);
  return copy;
}

const frameAt = jpeg.indexOf(Buffer.from([0xff, 0xc0]));
const widths: Readonly<Record<string, (width: number) => Buffer>> = {
  "image/png": (width) => createPng(width, 5),
  "image/jpeg": (width) => patch(jpeg, (copy) => copy.writeUInt16BE(width, frameAt + 7)),
  "image/gif": (width) => patch(gif, (copy) => copy.writeUInt16LE(width, 6)),
  "image/webp": (width) => patch(extendedWebp, (copy) => copy.writeUIntLE(width - 1, 24, 3)),
  "image/x-icon": (width) => createIcon(createPng(width, 16)),
  "image/avif": (width) => createAvif(width, 5),
};

const heights: Readonly<Record<string, (height: number) => Buffer>> = {
  "image/png": (height) => createPng(3, height),
  "image/jpeg": (height) => patch(jpeg, (copy) => copy.writeUInt16BE(height, frameAt + 5)),
  "image/gif": (height) => patch(gif, (copy) => copy.writeUInt16LE(height, 8)),
  "image/webp": (height) => patch(extendedWebp, (copy) => copy.writeUIntLE(height - 1, 27, 3)),
  "image/x-icon": (height) => createIcon(createBitmap(16, height)),
  "image/avif": (height) => createAvif(3, height, "avis"),
};

test("each image type is detected by its bytes, up to the maximum size", () => {
  for (const makers of [widths, heights]) {
    for (const [contentType, make] of Object.entries(makers)) {
      for (const side of [3, maxSide]) {
        assert.deepEqual(parsePicture(make(side)), { kind: "picture", contentType }, contentType);
      }
    }
  }
  for (const bytes of [jpeg, gif]) assert.equal(parsePicture(bytes).kind, "picture");
});

test("an image that would exhaust a visitor's memory is rejected", () => {
  for (const makers of [widths, heights]) {
    for (const [contentType, make] of Object.entries(makers)) {
      for (const side of [maxSide + 1, 16_384]) {
        const parsed = parsePicture(make(side));
        assert.equal(parsed.kind, "invalid", `${contentType} ${side}`);
        assert.match(parsed.kind === "invalid" ? parsed.fault : "", /larger than 4096/);
      }
    }
  }
});

test("the size of both simple WebP formats is read", () => {
  for (const bytes of [lossyWebp, losslessWebp]) {
    assert.deepEqual(parsePicture(bytes), { kind: "picture", contentType: "image/webp" });
  }
  const wideLossy = patch(lossyWebp, (copy) => copy.writeUInt16LE(5_000, 26));
  const wideLossless = patch(losslessWebp, (copy) => copy.writeUInt32LE(4_999, 21));
  const highLossless = patch(losslessWebp, (copy) => copy.writeUInt32LE((4_999 << 14) >>> 0, 21));
  for (const bytes of [wideLossy, wideLossless, highLossless]) {
    assert.equal(parsePicture(bytes).kind, "invalid");
  }
});

test("an AVIF file may list its brand second", () => {
  const bytes = patch(createAvif(3, 5), (copy) => copy.write("mif1\0\0\0\0avif", 8, "latin1"));
  assert.deepEqual(parsePicture(bytes), { kind: "picture", contentType: "image/avif" });
  const other = patch(createAvif(3, 5), (copy) => copy.write("mif1\0\0\0\0heic", 8, "latin1"));
  assert.equal(parsePicture(other).kind, "invalid");
});

test("an image that a decoder crops counts with its full size", () => {
  const crop = Buffer.alloc(40);
  crop.writeUInt32BE(40, 0);
  crop.write("clap", 4, "latin1");
  crop.writeUInt32BE(39_999, 12);
  assert.equal(parsePicture(Buffer.concat([createAvif(40_000, 5), crop])).kind, "invalid");
});

test("a JPEG without a frame is read once", () => {
  const zeros = Buffer.alloc(512 * 1024);
  zeros.writeUInt32BE(0xffd8ffe0, 0);
  assert.equal(parsePicture(zeros).kind, "invalid");
  // Each segment has the minimum length.
  const segments = Buffer.alloc(512 * 1024);
  for (let at = 2; at < segments.length - 4; at += 4) segments.writeUInt32BE(0xffe00002, at);
  segments.writeUInt16BE(0xffd8, 0);
  assert.equal(parsePicture(segments).kind, "invalid");
});

test("data that only claims to be an image is rejected", () => {
  for (const text of [
    "",
    "<html><script>alert(1)</script></html>",
    "<!doctype html><svg xmlns='http://www.w3.org/2000/svg'></svg>",
    "%PDF-1.7",
    "\x89PNG\r\n\x1a\n",
    "\x89PNG\r\n\x1a\n<script>alert(1)</script> and more",
    "GIF89a",
    "GIF89a=1;alert(1)//",
    "\xff\xd8\xff",
    "RIFF\0\0\0\0WEBP",
    "\0\0\x01\0\0\0",
    "\0\0\x01\0\x01\0",
    "\0\0\0\x18ftypavif",
    "BM",
  ]) {
    const parsed = parsePicture(Buffer.from(text, "latin1"));
    assert.equal(parsed.kind, "invalid", JSON.stringify(text));
  }
  const empty = parsePicture(createIcon(createBitmap(0, 0)));
  assert.equal(empty.kind, "invalid", "a picture without a size");
});

test("no bytes cause any other failure", () => {
  const beginnings = [
    Buffer.alloc(0),
    ...Object.values(widths).map((make) => make(3)),
    lossyWebp,
    losslessWebp,
  ];
  const hostile = fc
    .tuple(fc.constantFrom(...beginnings), fc.nat(300), fc.uint8Array({ maxLength: 200 }))
    .map(([bytes, length, tail]) => Buffer.concat([bytes.subarray(0, length), tail]));
  fc.assert(
    fc.property(hostile, (bytes) => {
      const parsed = parsePicture(bytes);
      assert.ok(parsed.kind === "picture" || parsed.fault.length > 0);
    }),
  );
});

const find = (text: string) => findSvgFault(Buffer.from(text));
const ns = 'xmlns="http://www.w3.org/2000/svg"';

test("documents of drawing programs are accepted", () => {
  for (const text of [
    `<svg ${ns}/>`,
    `<svg ${ns}></svg>\n`,
    `<?xml version="1.0" encoding="UTF-8"?>\n<!-- made by hand -->\n<svg ${ns}><g><path d="M0 0"/></g></svg>`,
    `\ufeff<svg ${ns}/>`,
    `<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd"><svg ${ns}/>`,
    `<s:svg xmlns:s="http://www.w3.org/2000/svg"><s:g/></s:svg>`,
    `<svg ${ns} viewBox='0 0 1 1'><style><![CDATA[ a > b { fill: red } ]]></style></svg>`,
    `<svg ${ns}><text>Fish &amp; chips &#8364; &#x20AC;</text></svg>`,
    `<svg\n\t${ns}\n>\n<?a-program data?><title>ä €</title></svg>`,
    // Scripts are accepted, because the image is served under a policy that blocks them.
    `<svg ${ns}><script>alert(1)</script></svg>`,
  ]) {
    assert.equal(find(text), null, text);
  }
});

test("anything but an SVG document is rejected", () => {
  for (const text of [
    "",
    " ",
    "svg",
    "<svg/>",
    `<svg xmlns="http://www.w3.org/1999/xhtml"/>`,
    `<html ${ns}/>`,
    `<html xmlns="http://www.w3.org/1999/xhtml"><svg ${ns}/></html>`,
    `<svg ${ns}>`,
    `<svg ${ns}><g></svg>`,
    `<svg ${ns}><g></svg></g>`,
    `<svg ${ns}/><svg ${ns}/>`,
    `<svg ${ns}/>more`,
    `more<svg ${ns}/>`,
    `<svg ${ns} a=1/>`,
    `<svg ${ns} a/>`,
    `<svg ${ns} a="1" a="2"/>`,
    `<svg ${ns} a="<"/>`,
    `<svg ${ns} a="1"b="2"/>`,
    `<svg ${ns}>&unknown;</svg>`,
    `<svg ${ns} a="&unknown;"/>`,
    `<svg ${ns}>a & b</svg>`,
    `<svg ${ns}>]]></svg>`,
    `<svg ${ns}><!-- a -- b --></svg>`,
    `<svg ${ns}><!-- a</svg>`,
    `<svg ${ns}><![CDATA[ a</svg>`,
    `<svg ${ns}><?xml version="1.0"?></svg>`,
    `<svg ${ns}>\0</svg>`,
    `<!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><svg ${ns}>&b;</svg>`,
    `<!DOCTYPE svg SYSTEM "file:///etc/passwd" []><svg ${ns}/>`,
    `<svg ${ns}>${"<g>".repeat(300)}${"</g>".repeat(300)}</svg>`,
  ]) {
    assert.notEqual(find(text), null, text.slice(0, 120));
  }
  assert.notEqual(findSvgFault(Buffer.from([0x3c, 0xff, 0xfe])), null);
  assert.notEqual(findSvgFault(Buffer.from(`<svg ${ns}/>`, "utf16le")), null);
});

const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,5}$/);
const words = fc.stringMatching(/^[a-zA-Z0-9 .,;:'()\n-]{0,12}$/);
const element = fc.letrec((tie) => ({
  node: fc
    .record({
      tag: name,
      attributes: fc.uniqueArray(fc.tuple(name, words), { selector: ([key]) => key, maxLength: 3 }),
      children: fc.oneof(
        { depthSize: "small" },
        words.map((text) => text.replaceAll("]]>", "")),
        fc.array(tie("node") as fc.Arbitrary<string>, { maxLength: 3 }).map((all) => all.join("")),
      ),
    })
    .map(({ tag, attributes, children }) => {
      const pairs = attributes.map(([key, value]) => ` ${key}="${value}"`).join("");
      return `<${tag}${pairs}>${children}</${tag}>`;
    }),
})).node;

test("well-formed documents are accepted, and damaged ones match another validator", () => {
  fc.assert(
    fc.property(element, fc.nat(10_000), (inside, cut) => {
      const text = `<svg ${ns}>${inside}</svg>`;
      assert.equal(find(text), null, text);
      const at = cut % text.length;
      const broken = text.slice(0, at) + text.slice(at + 1);
      // The other parser may be more lenient, but never stricter.
      if (XMLValidator.validate(broken) !== true) assert.notEqual(find(broken), null, broken);
    }),
  );
});

test("large parts are parsed quickly", () => {
  const filling = "a".repeat(500_000);
  for (const text of [
    `<svg ${ns}><!--${filling}--></svg>`,
    `<svg ${ns}><![CDATA[${filling}]]></svg>`,
    `<svg ${ns}><image href="data:image/png;base64,${filling}"/></svg>`,
    `<svg ${ns}>${filling}</svg>`,
    `<svg ${ns}>${"<g/>".repeat(100_000)}</svg>`,
    `<?p ${filling}?><svg ${ns}/>`,
  ]) {
    assert.equal(find(text), null, text.slice(0, 80));
    assert.ok(measureCpuMs(() => find(text)) < 2_000, text.slice(0, 80));
  }
  assert.notEqual(find(`<!DOCTYPE ${filling}><svg ${ns}/>`), null);
  assert.notEqual(find(`<svg ${ns} ${" a".repeat(200_000)}>`), null);
});
