import { allKinds } from "../../../src/kinds/index.ts";
import type { SourceFile } from "./source-files.ts";

/** The two maps; nothing else in src/kinds may reference a single kind. */
const maps = ["src/kinds/index.ts", "src/kinds/probers.ts"];
/** Files about kinds that a probe may import. */
const forProbes = [
  "src/kinds/assets.ts",
  "src/kinds/prober.ts",
  "src/kinds/probers.ts",
  "src/kinds/variables/variables.ts",
];

/** A kind's folder has the name of its path. */
function kindOf(path: string): string | null {
  const [, folder] = /^src\/kinds\/([^/]+)\//.exec(path) ?? [];
  return allKinds.some((kind) => kind.path === folder) ? (folder ?? null) : null;
}

/** A kind imports neither other kinds nor the maps, and shared code imports no kind. */
export function findCrossings(product: readonly SourceFile[]): string[] {
  return product
    .filter(({ path }) => path.startsWith("src/kinds/") && !maps.includes(path))
    .flatMap(({ path, imports }) => {
      const own = kindOf(path);
      return imports
        .filter((target) => {
          const other = kindOf(target);
          return maps.includes(target) || (other !== null && other !== own);
        })
        .map((target) => `${path} -> ${target}`);
    });
}

export function findProbesThatKnowMore(product: readonly SourceFile[]): string[] {
  return product
    .filter(({ path }) => path.startsWith("src/probe/"))
    .flatMap(({ path, imports }) =>
      imports
        .filter((target) => target.startsWith("src/kinds/") && !forProbes.includes(target))
        .map((target) => `${path} -> ${target}`),
    );
}

interface KindPattern {
  readonly type: string;
  readonly pattern: RegExp;
}

const kindPatterns: readonly KindPattern[] = allKinds.map(({ type, path, ownFieldNames }) => ({
  type,
  // Its type as a literal or as a key of the map, its folder, and its own field names.
  pattern: new RegExp(
    [`["'\`]${type}["'\`]`, `\\bkinds\\.${type}\\b`, `kinds/${path}/`, ...ownFieldNames].join("|"),
  ),
}));

/** Readers of other tools use their field names, some of which a kind has too. */
const foreignNames = /^src\/domains\/imports\/readers\//;

/** Lists references to a kind outside `src/kinds` or `web/kinds`. */
export function findNamesOfKinds(
  product: readonly SourceFile[],
  patterns: readonly KindPattern[] = kindPatterns,
): string[] {
  return product
    .filter(({ path }) => !/^(?:src|web)\/kinds\//.test(path) && !foreignNames.test(path))
    .flatMap(({ path, lines }) =>
      lines.flatMap((line, index) =>
        patterns
          .filter(({ pattern }) => pattern.test(line))
          .map(({ type }) => `${path}:${index + 1} knows ${type}`),
      ),
    );
}

/** Types that are also words which people read. */
const commonWords = ["API", "URL"];

/** In the web application, `"API"` and `"URL"` may be labels. */
export function findNamesOfKindsInWeb(product: readonly SourceFile[]): string[] {
  const patterns = allKinds.map(({ type, path, ownFieldNames }) => {
    const literal = commonWords.includes(type) ? [] : [`["'\`]${type}["'\`]`];
    const own = [...literal, `\\bkinds\\.${type}\\b`, `kinds/${path}/`, ...ownFieldNames];
    return { type, pattern: new RegExp(own.join("|")) };
  });
  return findNamesOfKinds(product, patterns);
}
