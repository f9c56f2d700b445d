import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { TestClock } from "../../../test/support/time/clock.ts";
import {
  type CompressedBody,
  chooseBody,
  compressBody,
  matchesEntityTag,
  type Rendered,
  RenderedPages,
} from "./rendered-pages.ts";

const long = "All systems operational. ".repeat(200);

test("every encoding decodes to the same body", async () => {
  const body = await compressBody(long, "text/plain");
  assert.equal(brotliDecompressSync(body.brotli ?? "").toString(), long);
  assert.equal(gunzipSync(body.gzip ?? "").toString(), long);
  assert.ok((body.brotli?.length ?? 0) < long.length / 10);
});

test("small bodies are not compressed", async () => {
  const body = await compressBody("small", "text/plain");
  assert.deepEqual(chooseBody(body, "br, gzip"), { bytes: body.plain, encoding: null });
});

test("the best accepted encoding is chosen", async () => {
  const body = await compressBody(long, "text/plain");
  const codings: readonly (readonly [string | undefined, string | null])[] = [
    ["gzip, deflate, br, zstd", "br"],
    ["gzip, br;q=0", "gzip"],
    ["gzip;q=0.5", "gzip"],
    ["GZIP", "gzip"],
    ["gzip;q=0", null],
    ["identity", null],
    ["brotli", null],
    ["", null],
    [undefined, null],
  ];
  for (const [header, expected] of codings) {
    assert.equal(chooseBody(body, header).encoding, expected, String(header));
  }
});

test("an entity tag identifies the content and matches in a list, weak or strong", async () => {
  const body = await compressBody(long, "text/plain");
  const other = await compressBody(`${long}!`, "text/plain");
  assert.notEqual(body.entityTag, other.entityTag);
  const strong = body.entityTag.slice(2);
  for (const known of [body.entityTag, strong, `"x", ${body.entityTag}`, "*", ` ${strong} `]) {
    assert.equal(matchesEntityTag(body, known), true, known);
  }
  for (const unknown of [undefined, "", '"x"', other.entityTag, body.entityTag.slice(0, -1)]) {
    assert.equal(matchesEntityTag(body, unknown), false, String(unknown));
  }
});

let clock: TestClock;
let isListening: boolean;
let pages: RenderedPages;
let body: CompressedBody;

beforeEach(async () => {
  clock = new TestClock();
  isListening = true;
  pages = new RenderedPages({
    clock,
    isListening: () => isListening,
    maxEntries: 3,
    maxBytes: 10_000,
  });
  body = await compressBody("text", "text/plain");
});

function pageOf(accountId: string, text = body): Rendered {
  return { owner: { accountId, pageId: "p", isPrivate: false }, body: text };
}

const keep = (key: string, accountId = "a") => pages.render(key, async () => pageOf(accountId));

/** A rendering that ends when the test resolves it. */
function hold() {
  const { promise, resolve, reject } = Promise.withResolvers<Rendered>();
  return { render: () => promise, resolve, reject };
}

describe("rendered pages", () => {
  test("are cached by address", async () => {
    await keep("one");
    assert.equal(pages.recall("one")?.body, body);
    assert.equal(pages.recall("two"), null);
  });

  test("are rendered once for concurrent requests", async () => {
    const held = hold();
    let renderings = 0;
    const ask = () =>
      pages.render("one", () => {
        renderings += 1;
        return held.render();
      });
    const asked = [ask(), ask(), ask()];
    held.resolve(pageOf("a"));
    assert.deepEqual(await Promise.all(asked), Array(3).fill(pageOf("a")));
    assert.equal(renderings, 1);
  });

  test("are dropped with a change in their account, and not in another", async () => {
    await keep("one", "a");
    await keep("two", "b");
    pages.forget("a");
    assert.equal(pages.recall("one"), null);
    assert.notEqual(pages.recall("two"), null);
    pages.forget(null);
    assert.equal(pages.recall("two"), null);
  });

  test("that are missing are dropped with any change, which may have created them", async () => {
    await pages.render("none", async () => ({ owner: null, body: null }));
    assert.notEqual(pages.recall("none"), null);
    pages.forget("somebody");
    assert.equal(pages.recall("none"), null);
  });

  test("started before a change are not cached, nor shared with later requests", async () => {
    for (const news of ["a", null]) {
      const old = hold();
      const early = pages.render("one", old.render);
      pages.forget(news);
      const fresh = pageOf("a", await compressBody("fresh", "text/plain"));
      const late = pages.render("one", async () => fresh);
      old.resolve(pageOf("a"));
      assert.equal((await early).body, body);
      assert.equal((await late).body, fresh.body);
      assert.equal(pages.recall("one")?.body, fresh.body);
      pages.forget(null);
    }
  });

  test("started before a change in another account are cached", async () => {
    const held = hold();
    const asked = pages.render("one", held.render);
    pages.forget("b");
    held.resolve(pageOf("a"));
    await asked;
    assert.notEqual(pages.recall("one"), null);
  });

  test("are invalid while change notifications may be missed, but available as stale", async () => {
    await keep("one");
    isListening = false;
    assert.equal(pages.recall("one"), null);
    await keep("two");
    isListening = true;
    assert.equal(pages.recall("two"), null);
    assert.notEqual(pages.recallStale("two"), null, "the database may go away again at once");
  });

  test("are rendered again after 30 seconds, and when the clock was set back", async () => {
    await keep("one");
    clock.advance(29_999);
    assert.notEqual(pages.recall("one"), null);
    clock.advance(1);
    assert.equal(pages.recall("one"), null);
    await keep("one");
    clock.advance(-60_000);
    assert.equal(pages.recall("one"), null);
  });

  test("are available as stale for an hour, unless changed or private", async () => {
    await keep("one", "a");
    await keep("two", "b");
    const owner = { accountId: "b", pageId: "p", isPrivate: true };
    await pages.render("three", async () => ({ owner, body }));
    const asOf = clock.now();
    clock.advance(3_599_999);
    isListening = false;
    assert.equal(pages.recall("one"), null);
    assert.deepEqual(pages.recallStale("one"), { body, asOf });
    assert.equal(pages.recallStale("three"), null);
    pages.forget("a");
    assert.equal(pages.recallStale("one"), null);
    clock.advance(1);
    assert.equal(pages.recallStale("two"), null);
  });

  test("that failed to render are retried by the next request", async () => {
    const failing = pages.render("one", async () => {
      throw new Error("the database is away");
    });
    await assert.rejects(failing, /away/);
    await keep("one");
    assert.notEqual(pages.recall("one"), null);
  });

  test("are bounded in number, least recently used first", async () => {
    for (const key of ["one", "two", "three"]) await keep(key);
    pages.recall("one");
    await keep("four");
    assert.equal(pages.size.entries, 3);
    assert.equal(pages.recall("two"), null);
    assert.notEqual(pages.recall("one"), null);
  });

  test("are bounded in bytes, and the count returns to zero", async () => {
    const large = await compressBody("x".repeat(6_000), "text/plain");
    await pages.render("one", async () => pageOf("a", large));
    await pages.render("two", async () => pageOf("a", large));
    assert.equal(pages.size.entries, 1);
    assert.ok(pages.size.bytes <= 10_000);
    const huge = await compressBody("x".repeat(20_000), "text/plain");
    await pages.render("three", async () => pageOf("a", huge));
    assert.deepEqual(pages.size, { entries: 0, bytes: 0 });
  });
});
