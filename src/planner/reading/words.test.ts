import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../../../test/support/properties.ts";
import { correctWord, findMeaning, isOrdinary, isPlain } from "./lexicon.ts";
import { foldName, foldText, readWords } from "./words.ts";

const textsOf = (question: string) => readWords(question).map(({ text }) => text);

test("a question is split into words without the punctuation around them", () => {
  const rows: Readonly<Record<string, readonly string[]>> = {
    "": [],
    " ?! … ": [],
    "Is Web down?": ["is", "web", "down"],
    "(web), [api]; *mail*": ["web", "api", "mail"],
    "web/api/mail": ["web", "api", "mail"],
    "https://example.com/a?b=c": ["https://example.com/a?b=c"],
    "2026/11/16": ["2026/11/16"],
    "example.com.": ["example.com"],
    "2001:db8::1?": ["2001:db8::1"],
    "10:30": ["10:30"],
    "100 %": ["100", "%"],
    "up-to-date": ["up-to-date"],
  };
  for (const [question, expected] of Object.entries(rows)) {
    assert.deepEqual(textsOf(question), expected, question);
  }
});

test("a number and its unit are two words", () => {
  const rows: Readonly<Record<string, readonly string[]>> = {
    "5min": ["5", "min"],
    "1.5h": ["1.5", "h"],
    "80%": ["80", "%"],
    "250ms.": ["250", "ms"],
    "7days": ["7", "days"],
    "5xyz": ["5xyz"],
    web2: ["web2"],
  };
  for (const [question, expected] of Object.entries(rows)) {
    assert.deepEqual(textsOf(question), expected, question);
  }
});

test("contractions are the words that they stand for", () => {
  const rows: Readonly<Record<string, readonly string[]>> = {
    "what's up": ["what", "is", "up"],
    "what’s up": ["what", "is", "up"],
    "web's": ["web"],
    "isn't": ["is", "not"],
    "can't": ["can", "not"],
    "won't": ["will", "not"],
    "they're": ["they", "are"],
    "I've": ["i", "have"],
    "we'll": ["we", "will"],
    "i'd": ["i", "would"],
    "I'm": ["i", "am"],
    "o'brien": ["obrien"],
    whats: ["what", "is"],
    rn: ["right", "now"],
  };
  for (const [question, expected] of Object.entries(rows)) {
    assert.deepEqual(textsOf(question), expected, question);
  }
});

test("a text in quotation marks is one name, as it is typed", () => {
  const questions = ['mute "Web Shop, EU"', "mute “Web Shop, EU”", "mute `Web Shop, EU`"];
  for (const question of questions) {
    const [, name, ...others] = readWords(question);
    assert.deepEqual(others, []);
    assert.deepEqual([name?.typed, name?.text], ["Web Shop, EU", "web shop, eu"], question);
    assert.ok(name?.isQuoted);
  }
  assert.deepEqual(textsOf('mute ""'), ["mute"]);
});

test("a quotation mark without its end is ignored", () => {
  const words = readWords('mute "Web Shop');
  assert.deepEqual(
    words.map(({ text, isQuoted }) => [text, isQuoted]),
    [
      ["mute", false],
      ["web", false],
      ["shop", false],
    ],
  );
});

test("a word after a hash is a name, and a number after one is not", () => {
  const [alerts] = readWords("#on-call");
  assert.deepEqual([alerts?.text, alerts?.isQuoted], ["on-call", true]);
  const [number] = readWords("#7");
  assert.deepEqual([number?.text, number?.isQuoted], ["7", false]);
});

test("the first word of each sentence is known", () => {
  const openings = (question: string) =>
    readWords(question)
      .filter(({ opensSentence }) => opensSentence)
      .map(({ text }) => text);
  assert.deepEqual(openings("Web is down. Why? Mute it"), ["web", "why", "mute"]);
  // An initial does not end a sentence.
  assert.deepEqual(openings("ping N. Virginia"), ["ping"]);
  assert.deepEqual(openings('"Web." is down'), ["web."]);
});

test("invisible characters are ignored, and typographic ones are plain", () => {
  assert.deepEqual(textsOf("we\u200bb do\u00adwn"), ["web", "down"]);
  assert.deepEqual(textsOf("web\u2028down\tnow"), ["web", "down", "now"]);
  assert.equal(foldText("a‐b – c"), "a-b   c");
  assert.equal(foldText("ｗｅｂ"), "web");
});

test("any text gives a bounded number of words without spaces around them", () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 100 }), (question) => {
      const words = readWords(question);
      assert.ok(words.length <= 100);
      for (const { text, typed } of words) {
        assert.ok(text !== "" && typed.trim() === typed);
        assert.equal(text, typed.toLowerCase());
      }
    }),
  );
  assert.equal(readWords("a ".repeat(5_000)).length, 100);
});

test("names are compared by letters and digits, without case and accents", () => {
  const rows: Readonly<Record<string, string>> = {
    "Web-Shop (EU)": "web shop eu",
    "  Café/Zürich ": "cafe zurich",
    WEB_01: "web 01",
    "наш Сайт": "наш саит",
    "🚀": "",
    "": "",
  };
  for (const [name, expected] of Object.entries(rows)) {
    assert.equal(foldName(name), expected);
    assert.equal(foldName(name), expected, "from the cache");
    assert.equal(foldName(expected), expected);
  }
});

test("ordinary words, numbers and signs are never names by themselves", () => {
  for (const word of ["is", "down", "7", "2.5", "%", "monday"]) assert.ok(isOrdinary(word), word);
  for (const word of ["accept", "coffee"]) {
    assert.equal(isOrdinary(word), false, word);
    assert.ok(isPlain(word), word);
  }
  for (const word of ["webshop", "router1", "constructor", "__proto__"]) {
    assert.equal(isPlain(word), false, word);
    assert.equal(findMeaning(word), null, word);
  }
});

test("a typing error in a word of the lexicon is corrected, and a name is not", () => {
  const rows: Readonly<Record<string, string>> = {
    dwon: "down",
    town: "town",
    maintenence: "maintenance",
    chanels: "channels",
    down: "down",
    router7: "router7",
    abc: "abc",
    zzzzzzzz: "zzzzzzzz",
  };
  for (const [word, expected] of Object.entries(rows)) assert.equal(correctWord(word), expected);
});
