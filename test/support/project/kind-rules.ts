import { allKinds } from "../../../src/kinds/index.ts";
import type { SourceFile } from "./source-files.ts";

/**
 * The two files that map all check types. No other shared file in `src/kinds` may reference a
 * single check type.
 */
const maps = ["src/kinds/index.ts", "src/kinds/probers.ts"];
/** Files in `src/kinds` that a probe may import. */
const forProbes = [
  "src/kinds/kit/prober.ts",
  "src/kinds/probers.ts",
  "src/kinds/kit/variables/variables.ts",
  "src/kinds/wire/kernel/captures.ts",
];

/**
 * Returns the check type whose folder contains a file. The folder has the name of the check type's
 * path.
 */
function kindOf(path: string): string | null {
  const [, folder] = /^src\/kinds\/of\/([^/]+)\//.exec(path) ?? [];
  return allKinds.some((kind) => kind.path === folder) ? (folder ?? null) : null;
}

/**
 * Lists forbidden imports: a check type may not import other check types or the maps, and shared
 * code may not import any check type.
 */
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
  // Pattern that detects a reference to a check type: its type as a literal or map key, its folder,
  // or its own field names.
  pattern: new RegExp(
    [
      `["'\`]${type}["'\`]`,
      `\\bkinds\\.${type}\\b`,
      `kinds/(?:of/)?${path}/`,
      ...ownFieldNames,
    ].join("|"),
  ),
}));

/**
 * Files with the field names of other monitoring tools. Some of these names are also field names of
 * a check type.
 */
const foreignNames = /^src\/as-code\/imports\/readers\//;

/** Files with the name servers of the machine, which are a field of DNS checks too. */
const resolvers = /^src\/(?:sandbox|platform\/net)\//;

/** Lists references to a single check type outside `src/kinds` and `web/kinds`. */
export function findNamesOfKinds(
  product: readonly SourceFile[],
  patterns: readonly KindPattern[] = kindPatterns,
): string[] {
  return product
    .filter(({ path }) => !/^(?:src|web)\/kinds\//.test(path))
    .filter(({ path }) => !foreignNames.test(path) && !resolvers.test(path))
    .flatMap(({ path, lines }) =>
      lines.flatMap((line, index) =>
        patterns
          .filter(({ pattern }) => pattern.test(line))
          .map(({ type }) => `${path}:${index + 1} knows ${type}`),
      ),
    );
}

/** Types that are also ordinary words in texts. */
const commonWords = ["API", "URL"];

/**
 * Lists references to a single check type in the web application, where `"API"` and `"URL"` may
 * also be labels.
 */
export function findNamesOfKindsInWeb(product: readonly SourceFile[]): string[] {
  const patterns = allKinds.map(({ type, path, ownFieldNames }) => {
    const literal = commonWords.includes(type) ? [] : [`["'\`]${type}["'\`]`];
    const own = [...literal, `\\bkinds\\.${type}\\b`, `kinds/(?:of/)?${path}/`, ...ownFieldNames];
    return { type, pattern: new RegExp(own.join("|")) };
  });
  return findNamesOfKinds(product, patterns);
}
