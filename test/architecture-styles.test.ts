/** Architecture rules for the style sheets of the web application. */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { type CssNode, generate, parse, type Rule, walk } from "css-tree";
import { readSourceFiles } from "./support/project/source-files.ts";

const styles = readSourceFiles("web/**/*.css").filter(({ path }) => !path.startsWith("web/dist"));
const code = readSourceFiles("web/*/**/*.{ts,tsx}").filter(
  ({ path }) => !path.startsWith("web/dist"),
);
const layers = "@layer mantine, base, parts;\n";

function listClasses(text: string): ReadonlySet<string> {
  const names = new Set<string>();
  const addName = (node: CssNode) => {
    if (node.type === "ClassSelector") names.add(node.name);
  };
  walk(parse(text), (node) => {
    if (node.type === "Rule") walk(node.prelude, addName);
  });
  return names;
}

/** Names that the code reads from a style sheet; `*` if it computes one. */
function listUses(style: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { path, text } of code) {
    for (const [, alias, target = ""] of text.matchAll(/^import (\w+) from "(.+\.css)";$/gm)) {
      if (join(dirname(path), target) !== style) continue;
      for (const [, name = "*"] of text.matchAll(new RegExp(`\\b${alias}(?:\\.(\\w+)|\\[)`, "g"))) {
        names.add(name);
      }
    }
  }
  return names;
}

test("every class of a style module is used", () => {
  const unused = styles
    .filter(({ path }) => path.endsWith(".module.css"))
    .flatMap(({ path, text }) => {
      const uses = listUses(path);
      const global = /:global\([^)]*\)/g;
      const names = uses.has("*") ? [] : [...listClasses(text.replace(global, "*"))];
      return names.filter((name) => !uses.has(name)).map((name) => `${path}: .${name}`);
    });
  assert.deepEqual(unused, [], "classes without a use");
});

/** Properties that `Stack`, `Row` and the classes of text.module.css set. */
const ofLayout = /^(?:display|flex-wrap|gap|align-items|justify-content|justify-items|min-width)$/;
const ofText = /^(?:color|font-size|font-weight|overflow-wrap|white-space|text-align)$/;
const textValue = /^(?:var\(--(?:muted|bad|good|fair|text-small)\)|600|anywhere|nowrap|end|right)$/;

function findPart(rule: Rule): string | null {
  const found = new Map<string, string>();
  rule.block.children.forEach((node) => {
    if (node.type === "Declaration") found.set(node.property, generate(node.value));
  });
  const all = [...found];
  const gaps = (found.get("gap") ?? "0").replaceAll(/var\(--space-\d\)|\b0\b|\s/g, "");
  if (all.every(([property]) => ofLayout.test(property)) && gaps === "") {
    if (found.get("flex-wrap") === "wrap") return "Row";
    if (found.get("display") === "grid" && !found.has("align-items")) return "Stack";
  }
  const isText = all.every(([property, value]) => ofText.test(property) && textValue.test(value));
  return isText && found.has("color") && all.length <= 2 ? "text.module.css" : null;
}

test("no class repeats what a part provides", () => {
  const repeated = styles
    .filter(({ path }) => !path.startsWith("web/parts/") && path !== "web/app/global.css")
    .flatMap(({ path, text }) => {
      const own: string[] = [];
      const mentions = (name: string) => text.split(new RegExp(`\\${name}\\b`)).length - 1;
      const sheet = parse(text);
      if (sheet.type !== "StyleSheet") return own;
      sheet.children.forEach((node) => {
        if (node.type !== "Rule") return;
        const selector = generate(node.prelude);
        const part = /^\.\w+$/.test(selector) && mentions(selector) === 1 ? findPart(node) : null;
        if (part !== null) own.push(`${path}: ${selector}: use ${part}`);
      });
      return own;
    });
  assert.deepEqual(repeated, [], "see the layout parts in web/README.md");
});

test("a style sheet with a layer declares the order of the layers first", () => {
  const unordered = styles
    .filter(({ path, text }) => text.includes("@layer") && path !== "web/app/global.css")
    .filter(({ text }) => !text.startsWith(layers))
    .map(({ path }) => path);
  assert.deepEqual(unordered, [], `style sheets without "${layers.trim()}"`);
});
