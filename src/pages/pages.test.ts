import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Type } from "typebox";
import { anyCharacter } from "../../test/support/properties.ts";
import { writeDocument } from "../platform/http/openapi/document.ts";
import { createApiReference } from "./docs/api-reference.ts";
import { slugOf } from "./docs/guide.ts";
import { html } from "./html.ts";

test("text in markup is escaped, in content and in attributes", () => {
  const name = `<script>alert("x")</script> & 'y'`;
  assert.equal(
    html`<p title="${name}">${name}</p>`.text,
    '<p title="&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp; &#39;y&#39;">' +
      "&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp; &#39;y&#39;</p>",
  );
});

test("nested markup is unchanged, and null renders as an empty text", () => {
  const items = ["a", "<b>"].map((item) => html`<li>${item}</li>`);
  assert.equal(
    html`<ul>${items}${null}${undefined}${false}${0}</ul>`.text,
    "<ul><li>a</li><li>&lt;b&gt;</li>0</ul>",
  );
});

test("no text can escape its place", () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      const { text: rendered } = html`${text}`;
      assert.equal(/[<>"']/.test(rendered), false);
      const decoded = rendered
        .replaceAll("&lt;", "<")
        .replaceAll("&gt;", ">")
        .replaceAll("&quot;", '"')
        .replaceAll("&#39;", "'")
        .replaceAll("&amp;", "&");
      assert.equal(decoded, text);
    }),
  );
});

test("the reference escapes all text of an API document", () => {
  const hostile = "<img src=x onerror=alert(1)>";
  const field = Type.String({ title: hostile, description: hostile, default: hostile });
  const shape = Type.Object({ [hostile]: field }, { description: hostile });
  const route = {
    method: "POST",
    url: `/${hostile}`,
    isPublic: false,
    isUnlimited: false,
    schema: {
      operationId: hostile,
      tags: [hostile],
      summary: hostile,
      description: hostile,
      querystring: shape,
      body: shape,
      response: { 200: shape },
    },
  };
  const document = writeDocument([route], {
    info: { title: hostile, version: hostile, description: hostile },
    tags: [{ name: hostile, description: hostile }],
    security: [{}],
    securitySchemes: {},
    parameters: { [hostile]: { name: hostile, in: hostile, description: hostile, schema: field } },
    errorSchema: shape,
  });
  const findPage = createApiReference(document);
  const pages = ["", slugOf(hostile), hostile].map((name) => findPage(name));
  assert.equal(pages.includes(null), false);
  const text = pages.join("");
  assert.ok(text.includes("&lt;img"));
  assert.equal(text.includes("<img"), false);
});
