import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { KnownError } from "../errors.ts";
import { isTooDeep } from "../text/json-depth.ts";
import { parseJsonBody } from "./json-body.ts";

function parse(text: string): unknown {
  return parseJsonBody(Buffer.from(text));
}

function rejectionOf(bytes: Buffer): KnownError {
  try {
    parseJsonBody(bytes);
  } catch (error) {
    assert.ok(error instanceof KnownError, `not a named error: ${error}`);
    assert.equal(error.errorName, "invalidRequest");
    assert.equal(error.validation?.source, "body");
    return error;
  }
  assert.fail("the body was accepted");
}

const forbidden = ["__proto__", "constructor"];
/** A step into an object by its key, or into a list. */
const step = fc.oneof(
  fc.string({ unit: "grapheme" }).filter((key) => !forbidden.includes(key) && !key.includes("\0")),
  fc.constant(null),
);
const path = fc.array(step, { maxLength: 30 });

/** Embeds a piece of JSON text somewhere inside an otherwise valid body. */
function bury(json: string, steps: readonly (string | null)[]): string {
  return steps.reduceRight<string>(
    (inner, key) => (key === null ? `[1,${inner},"a"]` : `{"z":1,${JSON.stringify(key)}:${inner}}`),
    json,
  );
}

function isBlameless(value: unknown): boolean {
  const text = JSON.stringify(value);
  return !text.includes("\\u0000") && !forbidden.some((key) => text.includes(`"${key}":`));
}

describe("a JSON body", () => {
  it("is undefined when it is empty", () => {
    assert.equal(parseJsonBody(Buffer.alloc(0)), undefined);
  });

  it("is parsed as by JSON.parse", () => {
    const value = fc.jsonValue({ maxDepth: 4, stringUnit: "binary" }).filter(isBlameless);
    fc.assert(
      fc.property(value, fc.constantFrom(0, 2), (body, indent) => {
        const text = JSON.stringify(body, null, indent);
        assert.deepStrictEqual(parse(text), JSON.parse(text));
      }),
    );
  });

  it("uses the last of two values with the same key, at any depth", () => {
    fc.assert(
      fc.property(path, fc.integer(), fc.integer(), (steps, first, last) => {
        const twice = `{"name":${first},"name":${last}}`;
        assert.deepStrictEqual(
          parse(bury(twice, steps)),
          JSON.parse(bury(`{"name":${last}}`, steps)),
        );
      }),
    );
  });

  it("yields a named error and nothing else for arbitrary bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1 }), (bytes) => {
        try {
          parseJsonBody(Buffer.from(bytes));
        } catch (error) {
          assert.ok(error instanceof KnownError, String(error));
        }
      }),
    );
  });

  it("is rejected if it is not JSON", () => {
    for (const text of ["{", "nul", "{'a':1}", '{"a":1,}', "\ufeff{}", " ", "[1]]", "]"]) {
      assert.equal(rejectionOf(Buffer.from(text)).message, "body must be valid JSON", text);
    }
  });

  it("is rejected if it contains invalid UTF-8 anywhere", () => {
    const broken = fc.constantFrom([0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xe2, 0x82], [0x80]);
    fc.assert(
      fc.property(path, broken, (steps, bytes) => {
        const [before = "", after = ""] = bury('"MARK"', steps).split("MARK");
        const body = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
        assert.equal(rejectionOf(body).message, "body must be valid UTF-8");
      }),
    );
  });

  it("is rejected if a string or key contains NUL, at any depth", () => {
    fc.assert(
      fc.property(path, fc.boolean(), (steps, isKey) => {
        const bad = isKey ? '{"a\\u0000b":1}' : '"a\\u0000b"';
        assert.match(rejectionOf(Buffer.from(bury(bad, steps))).message, /must not contain a NUL/);
      }),
    );
  });

  it("is rejected if a string or key contains a lone surrogate, at any depth", () => {
    const half = fc.integer({ min: 0xd800, max: 0xdfff });
    fc.assert(
      fc.property(path, half, fc.boolean(), (steps, code, isKey) => {
        const text = `"a\\u${code.toString(16)}b"`;
        const bad = isKey ? `{${text}:1}` : text;
        assert.match(rejectionOf(Buffer.from(bury(bad, steps))).message, /well-formed Unicode/);
      }),
    );
  });

  it("is accepted with a complete surrogate pair, escaped or not", () => {
    assert.deepEqual(parse('["\\ud83d\\ude00","😀"]'), ["😀", "😀"]);
  });

  it("is rejected if it has a key __proto__ or constructor, at any depth", () => {
    const value = fc.constantFrom("1", "null", '{"isAdmin":true}', "[]");
    fc.assert(
      fc.property(path, fc.constantFrom(...forbidden), value, (steps, key, json) => {
        // An escaped spelling is the same key.
        const escaped = `\\u${key.charCodeAt(0).toString(16).padStart(4, "0")}${key.slice(1)}`;
        for (const spelling of [key, escaped]) {
          const error = rejectionOf(Buffer.from(bury(`{"${spelling}":${json}}`, steps)));
          assert.match(error.message, new RegExp(`${key} is not allowed$`));
          assert.deepEqual(error.validation?.keys, [key]);
        }
        assert.equal(({} as Record<string, unknown>).isAdmin, undefined);
      }),
    );
  });

  it("may have __proto__ and constructor as values", () => {
    assert.deepEqual(parse('{"name":"__proto__","list":["constructor"]}'), {
      name: "__proto__",
      list: ["constructor"],
    });
  });

  it("names the path of the fault", () => {
    const error = rejectionOf(Buffer.from('{"list":[{"name":"ok"},{"name":"a\\u0000"}]}'));
    assert.equal(error.message, "list.1.name must not contain a NUL character");
    assert.deepEqual(error.validation?.keys, ["list.1.name"]);
  });
});

describe("the depth of a JSON body", () => {
  it("may be 32 and not 33", () => {
    for (const [open, close] of [
      ["[", "]"],
      ['{"a":', "}"],
    ] as const) {
      const nested = (depth: number) => `${open.repeat(depth)}1${close.repeat(depth)}`;
      assert.doesNotThrow(() => parse(nested(32)));
      assert.equal(
        rejectionOf(Buffer.from(nested(33))).message,
        "body must not be nested deeper than 32 levels",
      );
    }
  });

  it("is rejected without exhausting the stack if it is a million", () => {
    assert.match(rejectionOf(Buffer.from("[".repeat(1_000_000))).message, /nested deeper/);
  });

  it("is counted exactly, and brackets in strings do not count", () => {
    const depthOf = (value: unknown): number =>
      typeof value === "object" && value !== null
        ? 1 + Math.max(0, ...Object.values(value).map(depthOf))
        : 0;
    const noisy = fc.string({ unit: fc.constantFrom("[", "{", "]", "}", '"', "\\", "a") });
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 6 },
        noisy,
        fc.array(tie("tree"), { maxLength: 3 }),
        fc.dictionary(noisy, tie("tree"), { maxKeys: 3 }),
      ),
    }));
    fc.assert(
      fc.property(tree, fc.integer({ min: 0, max: 8 }), (value, limit) => {
        assert.equal(isTooDeep(JSON.stringify(value), limit), depthOf(value) > limit);
      }),
    );
  });
});
