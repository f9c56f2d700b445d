import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { XMLValidator } from "fast-xml-parser";
import { measureCpuMs } from "../../../../test/support/time/cpu-time.ts";
import { findSvgFault } from "./svg.ts";

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
