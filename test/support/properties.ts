/**
 * Configures how many random inputs a property test tries. No other file reads this setting. The
 * runner loads this file before every file that uses fast-check. An expensive property uses a
 * fraction: `{ numRuns: propertyRuns / 10 }`. A property that must reach every case uses a minimum:
 * `{ numRuns: Math.max(250, propertyRuns) }`.
 */
import fc from "fast-check";

export const propertyRuns = Number(process.env.PROPERTY_RUNS ?? "100");

fc.configureGlobal({ ...fc.readConfigureGlobal(), numRuns: propertyRuns });

const lastCodePoint = 0x10_ffff;
const firstSurrogate = 0xd800;
const surrogates = 0x800;
const printable = { first: 0x20, count: 95 };

/**
 * Converts an index to a character. Printable ASCII comes first, because fast-check generates small
 * numbers more often and shrinks failures towards 0.
 */
function toCharacter(index: number): string {
  const { first, count } = printable;
  if (index < count) return String.fromCodePoint(index + first);
  if (index < first + count) return String.fromCodePoint(index - count);
  return String.fromCodePoint(index < firstSurrogate ? index : index + surrogates);
}

function toIndex(character: unknown): number {
  const point = typeof character === "string" ? (character.codePointAt(0) ?? -1) : -1;
  if (point < 0 || String.fromCodePoint(point) !== character) throw new Error("not a character");
  const { first, count } = printable;
  if (point < first) return point + count;
  if (point < first + count) return point - first;
  return point < firstSurrogate ? point : point - surrogates;
}

/**
 * Any code point except surrogates, used as `fc.string({ unit: anyCharacter })`. `unit: "binary"`
 * generates the same characters, but builds a table of all characters, which takes more than a
 * second in each process.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: lastCodePoint - surrogates })
  .map(toCharacter, toIndex);
