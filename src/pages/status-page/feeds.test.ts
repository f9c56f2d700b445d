import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { XMLParser, XMLValidator } from "fast-xml-parser";
import ICAL from "ical.js";
import { type FeedFormat, fitForXml, renderCalendar, renderFeed } from "./feed.ts";
import type { IncidentView, MaintenanceView } from "./page-view.ts";

const now = new Date("2026-11-15T10:30:00.000Z");
const url = "https://status.example.com/";

/** Names that have broken feeds and calendars before. */
const hostileNames = [
  "]]>",
  "a ]]> b ]]> c",
  "]]]]>>",
  "<![CDATA[x]]>",
  "<script>alert(1)</script>",
  "&amp; &lt; &#38; &",
  `"quoted" 'single' \\ back\\slash`,
  "semi;colon, comma",
  "line one\nline two",
  "BEGIN:VEVENT\r\nSUMMARY:injected\r\nEND:VEVENT",
  "\u202eright to left\u202c zero\u200bwidth",
  "ü 你好 🎉 👩‍👩‍👧",
  "é".repeat(120),
  "<!DOCTYPE x [<!ENTITY y SYSTEM 'file:///etc/passwd'>]>&y;",
];

function createIncident(name: string, description = "We are looking into it."): IncidentView {
  return {
    id: "0198a1b2-0000-7000-8000-000000000001",
    name,
    severity: "MAJOR",
    status: "IDENTIFIED",
    services: [{ id: "s", name }],
    updates: [
      { id: "u2", status: "IDENTIFIED", description, at: now },
      { id: "u1", status: "INVESTIGATING", description, at: new Date(now.getTime() - 60_000) },
    ],
    startedAt: new Date(now.getTime() - 60_000),
    resolvedAt: null,
  };
}

function render(
  name: string,
  format: FeedFormat,
  incidents = [createIncident(name, name)],
): string {
  const source = { name, description: name, url, updatedAt: now, incidents, outages: [] };
  return renderFeed(source, format);
}

const parser = new XMLParser({
  ignoreAttributes: false,
  trimValues: false,
  parseTagValue: false,
  processEntities: true,
  htmlEntities: false,
  isArray: (tag) => tag === "item" || tag === "entry",
});

function parseXml(text: string) {
  assert.equal(XMLValidator.validate(text), true, text);
  return parser.parse(text);
}

/** Feed readers decode entities again if the format contains HTML. */
function decodeHtml(text: string): string {
  const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
  return text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_whole, name) => entities[name] ?? "");
}

/** Normalises line ends as XML does. */
const asXmlReads = (text: string) => fitForXml(text).replaceAll(/\r\n?/g, "\n");

function assertSameInRss(name: string): void {
  const { channel } = parseXml(render(name, "rss")).rss;
  assert.equal(asXmlReads(channel.title), asXmlReads(name));
  assert.equal(asXmlReads(channel.item[0].title), asXmlReads(`${name} – Identified`));
}

function assertSameInAtom(name: string): void {
  const { feed } = parseXml(render(name, "atom"));
  assert.equal(asXmlReads(feed.title), asXmlReads(name));
  const { title } = feed.entry[0];
  assert.equal(title["@_type"], "html");
  assert.equal(asXmlReads(decodeHtml(title["#text"])), asXmlReads(`${name} – Identified`));
}

function assertSameInJson(name: string): void {
  const feed = JSON.parse(render(name, "json"));
  assert.equal(feed.title, name);
  assert.equal(feed.items[0].title, `${name} – Identified`);
}

describe("feeds", () => {
  for (const name of hostileNames) {
    test(`every format preserves the text: ${JSON.stringify(name)}`, () => {
      assertSameInRss(name);
      assertSameInAtom(name);
      assertSameInJson(name);
    });
  }

  test("every format preserves any text that XML allows", () => {
    const pieces = fc.constantFrom(
      "]]>",
      "<",
      "&",
      "&amp;",
      "\u0000",
      "\u001f",
      "\uffff",
      "]",
      ">",
    );
    const texts = fc.array(fc.oneof(pieces, fc.string({ unit: "grapheme", maxLength: 4 })), {
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(texts, (parts) => {
        const name = `x${parts.join("")}x`;
        assertSameInRss(name);
        assertSameInAtom(name);
        assertSameInJson(name);
      }),
    );
  });

  test("an update's Markdown is safe markup in each format", () => {
    const incident = createIncident("x", "**bold** <script>alert(1)</script> `]]>`");
    const expected =
      /<strong>bold<\/strong> &lt;script&gt;alert\(1\)&lt;\/script&gt; <code>\]\]&gt;/;
    const rss = parseXml(render("x", "rss", [incident])).rss.channel.item[0];
    assert.match(rss["content:encoded"], expected);
    assert.match(
      parseXml(render("x", "atom", [incident])).feed.entry[0].content["#text"],
      expected,
    );
    assert.match(JSON.parse(render("x", "json", [incident])).items[0].content_html, expected);
  });

  test("an entry keeps its id in Atom and JSON, and is a new item in RSS at each update", () => {
    const before = createIncident("x");
    const after = { ...before, updates: before.updates.slice(1) };
    const ids = [before, after].map((incident) => ({
      rss: parseXml(render("x", "rss", [incident])).rss.channel.item[0].guid["#text"],
      atom: parseXml(render("x", "atom", [incident])).feed.entry[0].id,
      json: JSON.parse(render("x", "json", [incident])).items[0].id,
    }));
    assert.equal(ids[0]?.atom, `urn:uuid:${before.id}`);
    assert.equal(ids[0]?.atom, ids[1]?.atom);
    assert.equal(ids[0]?.json, ids[1]?.json);
    assert.notEqual(ids[0]?.rss, ids[1]?.rss);
  });

  test("the feed contains the incidents of the last fifty updates", () => {
    const incidents = Array.from({ length: 60 }, (_, index): IncidentView => {
      const at = new Date(now.getTime() - index * 1_000);
      const update = { id: `u${index}`, status: "RESOLVED", description: "x", at } as const;
      const id = `0198a1b2-0000-7000-8000-${String(index).padStart(12, "0")}`;
      return { ...createIncident(`incident ${index}`), id, updates: [update] };
    });
    const { items } = JSON.parse(render("x", "json", incidents));
    assert.equal(items.length, 50);
    assert.equal(items[0].title, "incident 0 – Identified");
  });

  test("a page without incidents has a valid feed in each format", () => {
    assert.equal(parseXml(render("x", "rss", [])).rss.channel.title, "x");
    assert.equal(parseXml(render("x", "atom", [])).feed.updated, now.toISOString());
    assert.deepEqual(JSON.parse(render("x", "json", [])).items, []);
  });

  test("the JSON feed has version 1.1", () => {
    const feed = JSON.parse(render("x", "json"));
    assert.equal(feed.version, "https://jsonfeed.org/version/1.1");
    assert.deepEqual([feed.language, feed.authors], ["en", [{ name: "x" }]]);
    assert.equal("author" in feed, false);
  });

  test("an outage found by a check is in the feed with its start and end", () => {
    const outage = { serviceId: "s", serviceName: "A & B", status: "failing" as const };
    const endedAt = new Date(now.getTime() + 60_000);
    const source = { name: "x", description: null, url, updatedAt: now, incidents: [] };
    const read = (format: FeedFormat, end: Date | null) =>
      renderFeed({ ...source, outages: [{ ...outage, startedAt: now, endedAt: end }] }, format);
    const titles = [null, endedAt].map((end) => JSON.parse(read("json", end)).items[0].title);
    assert.deepEqual(titles, ["A & B – Outage", "A & B – Operational again"]);
    const guids = [null, endedAt].map((end) => parser.parse(read("rss", end)).rss.channel.item[0]);
    assert.notDeepEqual(guids[0].guid, guids[1].guid);
    assert.ok(read("atom", null).includes("since 15 Nov 2026, 10:30 UTC, found by a check."));
  });
});

function plan(name: string, description: string | null = null): MaintenanceView {
  return {
    id: "0b1c6f0e-6f6f-4a43-9d55-3a1f3c1e2d4b-0",
    sequence: 3,
    name,
    description,
    startsAt: now,
    endsAt: new Date(now.getTime() + 3_600_000),
    services: [{ id: "s", name }],
    isNow: false,
    changedAt: now,
  };
}

function renderPlans(name: string, plans: readonly MaintenanceView[]): string {
  return renderCalendar({ name, url, maintenance: plans });
}

/** RFC 5545: each line ends with CRLF and has at most 75 bytes. */
function assertSoundLines(text: string): void {
  assert.ok(text.endsWith("END:VCALENDAR\r\n"));
  for (const line of text.split("\r\n")) {
    assert.ok(Buffer.byteLength(line) <= 75, line);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there.
    assert.equal(/[\u0000-\u0008\u000a-\u001f\u007f]/.test(line), false, JSON.stringify(line));
  }
}

function assertSameInCalendar(name: string): void {
  const text = renderPlans(name, [plan(name, "words")]);
  assertSoundLines(text);
  const calendar = new ICAL.Component(ICAL.parse(text));
  const events = calendar.getAllSubcomponents("vevent");
  assert.equal(events.length, 1);
  const typed = name
    .toWellFormed()
    .replaceAll(/\r\n?/g, "\n")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these cannot be carried.
    .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f]/g, "\ufffd");
  const event = new ICAL.Event(events[0]);
  assert.equal(event.summary, typed);
  assert.equal(event.description, `words\n\nAffects ${typed}`);
  // The parser returns an unknown property with its escapes.
  const shown = String(calendar.getFirstPropertyValue("x-wr-calname"));
  const unescaped = shown.replaceAll(/\\([\\;,nN])/g, (_whole, one) =>
    one.toLowerCase() === "n" ? "\n" : one,
  );
  assert.equal(unescaped, `${typed}: maintenance`);
}

describe("the calendar", () => {
  for (const name of hostileNames) {
    test(`preserves the text: ${JSON.stringify(name)}`, () => assertSameInCalendar(name));
  }

  test("preserves any text that the format allows", () => {
    const pieces = fc.constantFrom(
      "\r\n",
      "\n",
      ";",
      ",",
      "\\",
      ":",
      "\u0000",
      "\u0007",
      '"',
      "\\n",
    );
    const texts = fc.array(fc.oneof(pieces, fc.string({ unit: "grapheme", maxLength: 30 })));
    fc.assert(fc.property(texts, (parts) => assertSameInCalendar(`x${parts.join("")}x`)));
  });

  test("an occurrence always has the same id and times", () => {
    const [one, other] = [renderPlans("x", [plan("a")]), renderPlans("x", [plan("b")])];
    const uid = /^UID:(.*)\r$/m;
    assert.equal(uid.exec(one)?.[1], "0b1c6f0e-6f6f-4a43-9d55-3a1f3c1e2d4b-0");
    assert.equal(uid.exec(other)?.[1], uid.exec(one)?.[1]);
    assert.ok(one.includes("SEQUENCE:3\r\n"));
    assert.ok(one.includes("DTSTART:20261115T103000Z\r\nDTEND:20261115T113000Z\r\n"));
  });

  test("a calendar without events is valid, which requires one component", () => {
    const text = renderPlans("x", []);
    assertSoundLines(text);
    const calendar = new ICAL.Component(ICAL.parse(text));
    assert.deepEqual(
      calendar.getAllSubcomponents().map(({ name }) => name),
      ["vtimezone"],
    );
  });
});
