import assert from "node:assert/strict";
import { test } from "node:test";
import { runInNewContext } from "node:vm";
import { type CssNode, ident, walk } from "css-tree";
import fc from "fast-check";
import { forbiddenSheets, worstSheets } from "../../../../test/support/inputs/custom-css.ts";
import { anyCharacter } from "../../../../test/support/properties.ts";
import { measureCpuMs } from "../../../../test/support/time/cpu-time.ts";
import { filterCustomCss as filterFor } from "./filter.ts";
import { maxCssBytes, parseCss } from "./values.ts";

const filterCustomCss = (source: string) => filterFor(source, "dashboard");
const filtered = (source: string) => filterCustomCss(source).css;

test("each page has a separate scope and root", () => {
  const sheet = ":root { --x: 1 } .status-page > main { color: red } .dashboard p { color: red }";
  assert.equal(
    filterFor(sheet, "status-page").css,
    ".status-page{--x:1}.status-page>main{color:red}.status-page .dashboard p{color:red}",
  );
});

test("ordinary rules pass the filter, scoped to .dashboard", () => {
  const cases: [string, string][] = [
    [".check { color: red }", ".dashboard .check{color:red}"],
    ["body { background: #123 }", ".dashboard{background:#123}"],
    [":root { --accent: #fa0; }", ".dashboard{--accent:#fa0}"],
    ["html body .check-name { font-size: 2rem }", ".dashboard .check-name{font-size:2rem}"],
    [".dashboard > header { display: none }", ".dashboard>header{display:none}"],
    [".a, p:hover > b { margin: 0 1px }", ".dashboard .a,.dashboard p:hover>b{margin:0 1px}"],
    [".a { color: var(--x, hsl(1 2% 3%)) !important }", ""],
    ['.a::before { content: "→ \\2022" }', '.dashboard .a::before{content:"→ •"}'],
    ["/* why */ .a { COLOR: Red }", ".dashboard .a{color:Red}"],
    [
      "@media (min-width: 100px) and (prefers-color-scheme: dark) { .a { width: calc(1px + 2%) } }",
      "@media (min-width:100px) and (prefers-color-scheme:dark){.dashboard .a{width:calc(1px + 2%)}}",
    ],
    [
      "@supports (display: grid) { .a { display: grid } }",
      "@supports (display:grid){.dashboard .a{display:grid}}",
    ],
    [
      "@keyframes pulse { from { opacity: 0 } 50%, to { opacity: 1 } }",
      "@keyframes pulse{from{opacity:0}50%,to{opacity:1}}",
    ],
  ];
  for (const [source, wanted] of cases) {
    const { css, warnings } = filterCustomCss(source);
    if (wanted === "") assert.match(css, /color:var\(--x, ?hsl\(1 2% 3%\)\)!important/);
    else assert.equal(css, wanted);
    assert.deepEqual(warnings, [], source);
  }
});

for (const source of forbiddenSheets) {
  test(`${source} is removed, and its position is reported`, () => {
    const { css, warnings } = filterCustomCss(source);
    assert.doesNotMatch(css, /red|evil|url|fixed|sticky|absolute|value|expression/i);
    assert.ok(warnings.length > 0);
    assert.equal(warnings[0]?.line, 1);
  });
}

test("a warning has line and column, and there are at most fifty", () => {
  const { warnings } = filterCustomCss(".a {\n  color: red;\n  position: fixed;\n}");
  assert.deepEqual(warnings, [{ line: 3, column: 3, message: "removed: position: fixed" }]);
  assert.equal(filterCustomCss(".a { position: fixed }\n".repeat(500)).warnings.length, 50);
});

test("a string cannot end a style element", () => {
  assert.equal(
    filtered('.a::after { content: "</style><script>" }'),
    '.dashboard .a::after{content:"\\3c /style>\\3c script>"}',
  );
});

test("input that is too long, too deep or has too many rules is reported cheaply", () => {
  for (const source of worstSheets) {
    assert.ok(measureCpuMs(() => filterCustomCss(source)) < 2_000, source.slice(0, 40));
    const { css, warnings } = filterCustomCss(source);
    assert.ok(Buffer.byteLength(css) <= 256 * 1024 && warnings.length <= 50);
  }
  assert.match(filterCustomCss("(".repeat(1_000)).warnings[0]?.message ?? "", /deeper/);
  assert.match(filterCustomCss("x".repeat(70_000)).warnings[0]?.message ?? "", /longer/);
});

/** An endless loop can only be terminated from outside. */
function filterInTime(source: string): void {
  const run = () => filterCustomCss(source);
  runInNewContext("run()", { run }, { timeout: 60_000 });
}

test("unbalanced brackets end regardless of an earlier sheet", () => {
  const unmatched = ["[}]][", "{}}a)", "{}}}a:", "{)})}:;", "a()}) (", "{]a}][)"];
  for (const source of unmatched) {
    for (const bracket of ["(", "[", "{", "a("]) {
      filterInTime(`${",".repeat(source.length)}${bracket}`);
      filterInTime(source);
    }
  }
});

const fragments = fc.constantFrom(
  ...forbiddenSheets,
  ".check { color: red }",
  "a{b:c}",
  "url(",
  "u\\72 l(x)",
  "\\75 rl(x)",
  "@\\69mport 'x';",
  "@im\\70ort 'x';",
  "/*",
  "*/",
  '"',
  "'",
  "\\",
  "\n",
  "{",
  "}",
  "(",
  ")",
  "[",
  "]",
  ";",
  ":",
  "!",
  "\0",
  "\u2028",
  "</style>",
  "<!--",
  "-->",
  "--x:",
  "position",
  "fixed",
  "\\66ixed",
  "[value]",
  ".dashboard",
  "+",
  "~",
  "@media",
  "@keyframes x",
  "image-set(",
  "expression(",
);

const sheets = fc.oneof(
  fc
    .array(fc.oneof(fragments, fc.string({ maxLength: 6 })), { maxLength: 40 })
    .map((parts) => parts.join("")),
  fc.string({ unit: anyCharacter, maxLength: 200 }),
  fc.array(fragments, { maxLength: 20 }).map((parts) => parts.join(" ")),
);

const forbiddenTypes = new Set([
  "Url",
  "AttributeSelector",
  "NestingSelector",
  "CDO",
  "CDC",
  "Raw",
]);
const forbiddenFunctions =
  /^(?:url|src|image|image-set|-webkit-image-set|cross-fade|element|paint|expression|attr|env)$/;

function assertHarmless(css: string): void {
  const faults: string[] = [];
  const sheet = parseCss(css, {
    onParseError: ({ message }) => faults.push(message),
    parseCustomProperty: true,
  });
  walk(sheet, (node: CssNode) => {
    // The parser does not parse the second argument of var(), so it is parsed again here.
    if (node.type === "Raw") assertHarmless(`.dashboard{--x:${node.value}}`);
    else if (forbiddenTypes.has(node.type)) faults.push(node.type);
    if (
      node.type === "Function" &&
      forbiddenFunctions.test(ident.decode(node.name).toLowerCase())
    ) {
      faults.push(node.name);
    }
    if (node.type === "Atrule" && !["media", "supports", "keyframes"].includes(node.name)) {
      faults.push(node.name);
    }
    if (node.type === "Declaration") {
      const property = ident.decode(node.property).toLowerCase();
      const value = node.value.type === "Value" ? node.value.children.toArray() : [];
      const words = value.map((one) =>
        one.type === "Identifier" ? ident.decode(one.name).toLowerCase() : "?",
      );
      if (/^(?:behavior|-moz-binding|cursor)$/.test(property)) faults.push(property);
      if (
        property === "position" &&
        !["static", "relative", "inherit", "initial", "unset", "revert"].includes(words.join(" "))
      ) {
        faults.push(`position: ${words.join(" ")}`);
      }
    }
  });
  walk(sheet, function check(node: CssNode) {
    if (node.type !== "Rule" || this.atrule?.name === "keyframes") return;
    if (node.prelude.type !== "SelectorList") return void faults.push("no selector");
    for (const selector of node.prelude.children.toArray()) {
      const first = selector.type === "Selector" ? selector.children.first : null;
      if (first?.type !== "ClassSelector" || first.name !== "dashboard") faults.push("not scoped");
    }
  });
  assert.deepEqual(faults, [], css);
  assert.doesNotMatch(css, /<|@import|javascript:/i);
}

test("for any input, the filter never throws and its output contains nothing forbidden", () => {
  fc.assert(
    fc.property(sheets, (source) => {
      const { css, warnings } = filterCustomCss(source);
      assertHarmless(css);
      assert.ok(warnings.length <= 50);
    }),
  );
});

test("filtering the output again changes nothing", () => {
  fc.assert(
    fc.property(sheets, (source) => {
      const once = filtered(source);
      assert.equal(filtered(once), once);
    }),
  );
});

/** Repeats a pattern up to the maximum size of a sheet. */
const fill = (pattern: string) =>
  pattern.repeat(Math.floor((maxCssBytes - 200) / Buffer.byteLength(pattern)));

test("brackets are counted as the parser reads them", () => {
  for (const opener of ["@media x{/*}*/", "@media x{)", '(")"', "(/*)*/", "(\\)", "a{]"]) {
    const { css, warnings } = filterCustomCss(`.a{color:red}${fill(opener)}`);
    assert.equal(css, "", opener);
    assert.match(warnings[0]?.message ?? "", /deeper than 24/, opener);
  }
  const shallow =
    '.a::before { content: "((((((((((((((((((((((((((((((" } /* {{{{{{{{{{{{{{{{{ */';
  assert.notEqual(filtered(shallow), "");
});

test("a sheet with mostly errors costs no more than a few of them", () => {
  for (const pattern of ["a;", "*;", "--x;", "a:!;"]) {
    const { css, warnings } = filterCustomCss(`a{${fill(pattern)}}`);
    assert.equal(css, "", pattern);
    assert.match(warnings[0]?.message ?? "", /too many errors/, pattern);
  }
  assert.match(filterCustomCss(fill("!{}")).warnings[0]?.message ?? "", /too many errors/);
  const few = `.a{${"a;".repeat(60)} color: red}`;
  assert.equal(filtered(few), ".dashboard .a{color:red}");
});
