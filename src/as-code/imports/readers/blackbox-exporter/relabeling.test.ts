import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import "../../../../../test/support/properties.ts";
import { compileWhole, parseRelabeling, writesTarget } from "./relabeling.ts";

type Plain = Readonly<Record<string, string>>;

/** Applies rules to labels; `null` if the target is dropped. */
function relabel(rules: readonly object[], labels: Plain): Plain | null {
  const apply = parseRelabeling(rules);
  assert.ok(typeof apply === "function", `rule ${apply} is not valid`);
  const result = apply(new Map(Object.entries(labels)));
  return result === null ? null : Object.fromEntries(result);
}

test("without fields, a rule replaces its target by the joined sources", () => {
  const rule = { source_labels: ["a", "b"], target_label: "c" };
  assert.deepEqual(relabel([rule], { a: "x", b: "y" }), { a: "x", b: "y", c: "x;y" });
  assert.deepEqual(relabel([{ ...rule, separator: "/" }], { a: "x" }), { a: "x", c: "x/" });
});

test("an expression matches the whole text, also across lines", () => {
  const rule = { source_labels: ["a"], regex: "b.d", target_label: "c", replacement: "hit" };
  assert.deepEqual(relabel([rule], { a: "b\nd" }), { a: "b\nd", c: "hit" });
  assert.deepEqual(relabel([rule], { a: "abcd" }), { a: "abcd" });
});

test("a replacement contains groups by number and by name, and two signs are one", () => {
  const expand = (regex: string, replacement: string) =>
    relabel([{ source_labels: ["a"], regex, target_label: "c", replacement }], {
      a: "db-1:9100",
    })?.c;
  assert.equal(expand("(.*)-(\\d):(\\d+)", "\u0024{1}_$2:$3"), "db_1:9100");
  assert.equal(expand("(?P<host>[^:]+):(?P<port>\\d+)", "\u0024{port}@$host"), "9100@db-1");
  assert.equal(expand("(.*):.*", "$1x$$1"), "$1", "`$1x` is a group without a value");
  assert.equal(expand("(.*)", "$9"), undefined, "an empty value removes the label");
  assert.equal(expand("(.*)", "5$ or $-"), "5$ or $-");
});

test("the name of the target may come from the source, and an invalid one changes nothing", () => {
  const rule = { source_labels: ["a"], regex: "(.*)=(.*)", target_label: "$1", replacement: "$2" };
  assert.deepEqual(relabel([rule], { a: "env=prod" }), { a: "env=prod", env: "prod" });
  assert.deepEqual(relabel([rule], { a: "9x=prod" }), { a: "9x=prod" });
});

test("targets are kept and dropped by an expression", () => {
  const keep = { source_labels: ["job"], regex: "a|b", action: "keep" };
  assert.deepEqual(relabel([keep], { job: "a" }), { job: "a" });
  assert.equal(relabel([keep], { job: "ab" }), null);
  assert.equal(relabel([{ ...keep, action: "drop" }], { job: "b" }), null);
  assert.deepEqual(relabel([{ ...keep, action: "drop" }], { job: "ab" }), { job: "ab" });
});

test("an expression that YAML reads as a truth value is text", () => {
  const rule = { source_labels: ["probe"], regex: true, action: "keep" };
  assert.deepEqual(relabel([rule], { probe: "true" }), { probe: "true" });
  assert.equal(relabel([rule], { probe: "false" }), null);
  assert.equal(relabel([rule], {}), null);
  const replace = { source_labels: ["probe"], target_label: "on", replacement: false };
  assert.equal(relabel([replace], { probe: "x" })?.on, "false");
});

test("two labels are compared, and a missing one is empty", () => {
  const equal = { source_labels: ["a"], target_label: "b", action: "keepequal" };
  assert.deepEqual(relabel([equal], { a: "x", b: "x" }), { a: "x", b: "x" });
  assert.equal(relabel([equal], { a: "x", b: "y" }), null);
  assert.deepEqual(relabel([equal], { job: "j" }), { job: "j" });
  const differ = { ...equal, action: "dropequal" };
  assert.equal(relabel([differ], { job: "j" }), null);
  assert.deepEqual(relabel([differ], { a: "x" }), { a: "x" });
});

test("the case of a label is changed", () => {
  const labels = { a: "Straße" };
  const rule = { source_labels: ["a"], target_label: "b" };
  assert.equal(relabel([{ ...rule, action: "Lowercase" }], labels)?.b, "straße");
  assert.equal(relabel([{ ...rule, action: "UPPERCASE" }], labels)?.b, "STRASSE");
});

test("labels are renamed, dropped and kept by their names", () => {
  const labels = { __meta_env: "prod", __meta_zone: "a", job: "j" };
  const map = { action: "labelmap", regex: "__meta_(.+)" };
  assert.deepEqual(relabel([map], labels), { ...labels, env: "prod", zone: "a" });
  assert.deepEqual(relabel([{ action: "labeldrop", regex: "__.*" }], labels), { job: "j" });
  assert.deepEqual(relabel([{ action: "labelkeep", regex: "job|env" }], labels), { job: "j" });
});

test("shards are the remainder of the hash that Prometheus computes", () => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 1, max: 1_000 }), (value, modulus) => {
      const digits = createHash("md5").update(value).digest("hex").slice(16);
      const rule = { source_labels: ["a"], target_label: "shard", action: "hashmod", modulus };
      const found = relabel([rule], { a: value });
      assert.equal(found?.shard, String(BigInt(`0x${digits}`) % BigInt(modulus)));
    }),
  );
});

test("rules are applied in order, and nothing follows a dropped target", () => {
  const rules = [
    { source_labels: ["__address__"], target_label: "__param_target" },
    { source_labels: ["__param_target"], target_label: "instance" },
    { target_label: "__address__", replacement: "exporter:9115" },
  ];
  assert.deepEqual(relabel(rules, { __address__: "https://a" }), {
    __address__: "exporter:9115",
    __param_target: "https://a",
    instance: "https://a",
  });
  const dropped = [{ source_labels: ["x"], regex: "", action: "drop" }, ...rules];
  assert.equal(relabel(dropped, { __address__: "https://a" }), null);
});

test("the fields of the Kubernetes operator are understood too", () => {
  const rule = { sourceLabels: ["a"], targetLabel: "b" };
  assert.deepEqual(relabel([rule], { a: "x" }), { a: "x", b: "x" });
});

test("the first rule that is not valid is named by its number", () => {
  const valid = { source_labels: ["a"], target_label: "b" };
  assert.equal(parseRelabeling([valid, { regex: "(" }, { action: "explode" }]), 2);
  assert.equal(parseRelabeling([{ action: "toString" }]), 1);
  assert.equal(compileWhole("a("), null);
});

test("labels are not changed in place", () => {
  const labels = new Map([["a", "x"]]);
  const apply = parseRelabeling([{ source_labels: ["a"], target_label: "a", replacement: "y" }]);
  assert.ok(typeof apply === "function");
  assert.equal(apply(labels)?.get("a"), "y");
  assert.equal(labels.get("a"), "x");
});

test("only rules of a blackbox exporter write its target", () => {
  assert.equal(writesTarget([{ target_label: "__param_target" }]), true);
  assert.equal(writesTarget([{ targetLabel: "__param_target" }]), true);
  assert.equal(writesTarget([{ target_label: "instance" }, "text", null]), false);
});
