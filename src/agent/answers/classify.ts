/** Scores of the intents of a question, the best first. They add up to 1. */
export type Ranking = readonly { readonly intent: string; readonly p: number }[];

export interface Phrase {
  readonly intent: string;
  readonly text: string;
}

/** Parses a file of phrases: each line is a phrase of the intent whose heading is above it. */
export function parsePhrases(text: string): Phrase[] {
  let intent = "";
  return text.split("\n").flatMap((line) => {
    if (line.startsWith("# ")) intent = line.slice(2).trim();
    else if (line.trim() !== "") return [{ intent, text: line.trim() }];
    return [];
  });
}

/** Number of features. Rare collisions of their hashes do not matter. */
const featureCount = 1 << 13;
const rounds = 6;
const firstRate = 2.5;
const partLength = 4;
const weights = { word: 1.5, pair: 0.8, part: 0.5 } as const;
const placeholder = /^[A-Z]{3,}$/;

/** Returns the words of a masked question, in lower case except for placeholders. */
export function splitWords(text: string): string[] {
  return (text.match(/[A-Z]{3,}|[\p{L}\p{N}%]+/gu) ?? []).map((word) =>
    placeholder.test(word) ? word : word.toLowerCase(),
  );
}

function hash(text: string): number {
  let value = 2_166_136_261;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 16_777_619);
  }
  return (value >>> 0) % featureCount;
}

/** Returns the features of a masked text with their weights: words, pairs and parts of words. */
function listFeatures(text: string): Map<number, number> {
  const features = new Map<number, number>();
  const words = splitWords(text);
  for (let index = 0; index <= words.length; index += 1) {
    const word = words[index] ?? "$";
    features.set(hash(`${words[index - 1] ?? "^"} ${word}`), weights.pair);
    if (word === "$") break;
    features.set(hash(word), weights.word);
    if (placeholder.test(word)) continue;
    const edged = `<${word}>`;
    for (let at = 0; at + partLength <= edged.length; at += 1) {
      features.set(hash(`…${edged.slice(at, at + partLength)}`), weights.part);
    }
  }
  return features;
}

interface Vector {
  readonly places: Int32Array;
  readonly values: Float32Array;
}

/** Multinomial logistic regression, trained by gradient descent over the phrases in fixed order. */
export class Classifier {
  readonly #intents: readonly string[];
  readonly #rarity = new Float32Array(featureCount);
  readonly #weights: Float32Array;

  constructor(phrases: readonly Phrase[]) {
    this.#intents = [...new Set(phrases.map(({ intent }) => intent))];
    this.#weights = new Float32Array(featureCount * this.#intents.length);
    const all = phrases.map(({ text }) => listFeatures(text));
    const counts = new Uint16Array(featureCount);
    for (const features of all) {
      for (const place of features.keys()) counts[place] = (counts[place] ?? 0) + 1;
    }
    for (const [place, count] of counts.entries()) {
      this.#rarity[place] = Math.log((phrases.length + 1) / (count + 5));
    }
    const vectors = all.map((features) => this.#weigh(features));
    const targets = phrases.map(({ intent }) => this.#intents.indexOf(intent));
    const order = shuffle(phrases.length);
    for (let round = 0; round < rounds; round += 1) {
      const rate = firstRate / (1 + round * 0.1);
      for (const index of order) {
        const vector = vectors[index];
        if (vector !== undefined) this.#learn(vector, targets[index] ?? 0, rate);
      }
    }
  }

  #weigh(features: ReadonlyMap<number, number>): Vector {
    const places = Int32Array.from(features.keys());
    const values = Float32Array.from(
      features,
      ([place, weight]) => weight * (this.#rarity[place] ?? 0),
    );
    const length = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0)) || 1;
    return { places, values: values.map((value) => value / length) };
  }

  #learn(vector: Vector, target: number, rate: number): void {
    const count = this.#intents.length;
    const ps = this.#score(vector);
    for (let intent = 0; intent < count; intent += 1) {
      const error = (intent === target ? 1 : 0) - (ps[intent] ?? 0);
      if (Math.abs(error) < 0.01) continue;
      for (let index = 0; index < vector.places.length; index += 1) {
        const at = (vector.places[index] ?? 0) * count + intent;
        this.#weights[at] = (this.#weights[at] ?? 0) + rate * error * (vector.values[index] ?? 0);
      }
    }
  }

  #score({ places, values }: Vector): Float32Array {
    const count = this.#intents.length;
    const sums = new Float32Array(count);
    for (let index = 0; index < places.length; index += 1) {
      const row = (places[index] ?? 0) * count;
      const value = values[index] ?? 0;
      for (let intent = 0; intent < count; intent += 1) {
        sums[intent] = (sums[intent] ?? 0) + (this.#weights[row + intent] ?? 0) * value;
      }
    }
    const max = Math.max(...sums);
    let total = 0;
    for (let intent = 0; intent < count; intent += 1) {
      const power = Math.exp((sums[intent] ?? 0) - max);
      sums[intent] = power;
      total += power;
    }
    for (let intent = 0; intent < count; intent += 1) sums[intent] = (sums[intent] ?? 0) / total;
    return sums;
  }

  /** Ranks the intents that `isAllowed` accepts. */
  rank(text: string, isAllowed: (intent: string) => boolean = () => true): Ranking {
    const ps = this.#score(this.#weigh(listFeatures(text)));
    const allowed = this.#intents
      .map((intent, index) => ({ intent, p: ps[index] ?? 0 }))
      .filter(({ intent }) => isAllowed(intent));
    const total = allowed.reduce((sum, { p }) => sum + p, 0) || 1;
    return allowed
      .map(({ intent, p }) => ({ intent, p: p / total }))
      .sort((one, other) => other.p - one.p);
  }
}

/** Returns the numbers below a count in an order that looks random and is always the same. */
function shuffle(count: number): number[] {
  let state = 12_345;
  const order = Array.from({ length: count }, (_, index) => index);
  for (let index = count - 1; index > 0; index -= 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7f_ff_ff_ff;
    const other = state % (index + 1);
    [order[index], order[other]] = [order[other] ?? 0, order[index] ?? 0];
  }
  return order;
}
