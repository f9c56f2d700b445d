/** `npm run measures` prints figures of the code, which reviews compare over time. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { listRequiredMembers } from "./kind-members.ts";
import { areas, moduleOf } from "./modules.ts";
import { projectFolder, readSourceFiles, type SourceFile } from "./source-files.ts";
import { listFilesOfWalk, walks } from "./walks.ts";
import { findImportsPastInterface, findModuleCycles } from "./web-modules.ts";

const isTest = ({ path }: SourceFile) => /\.test\.tsx?$/.test(path);
const isOf = (folder: string) => (file: SourceFile) => file.path.startsWith(`${folder}/`);

const files = readSourceFiles("{bin,src,web}/**/*.{ts,tsx}").filter(
  ({ path }) => !/^web\/(?:dist\/|api\/schema\.d\.ts)/.test(path),
);
const product = files.filter((file) => !isTest(file));
const web = product.filter(isOf("web"));
const ofServer = product.filter(isOf("src"));

const countLines = (list: readonly { readonly lines: readonly string[] }[]) =>
  list.reduce((sum, { lines }) => sum + lines.length, 0);

function countCssLines(): number {
  const paths = globSync("web/**/*.css", { cwd: projectFolder, exclude: ["web/dist*/**"] });
  const texts = paths.map((path) => readFileSync(join(projectFolder, path), "utf8"));
  return countLines(texts.map((text) => ({ lines: text.trimEnd().split("\n") })));
}

function countExports({ text }: SourceFile): number {
  const lists = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, names = ""]) =>
    names.split(",").filter((name) => name.trim() !== ""),
  );
  const declared = text.match(
    /^export (?:async )?(?:const|function|class|interface|type [A-Z]\w*)/gm,
  );
  return lists.length + (declared?.length ?? 0);
}

function findWidestInterface(): string {
  const doors = product.filter(({ path }) => path.endsWith("/index.ts"));
  const widest = doors
    .map((file) => ({ path: file.path, count: countExports(file) }))
    .sort((a, b) => b.count - a.count);
  return widest
    .slice(0, 3)
    .map(({ path, count }) => `${count} (${path})`)
    .join(", ");
}

/**
 * Returns the ratio of test lines to product lines. Tests in `test/` count for the web application
 * if they open a browser or its screens.
 */
function shareOfTests(folder: "src" | "web"): string {
  const ofWeb = /^test\/(?:support\/)?(?:browsers?|components)\//;
  const own = files.filter((file) => isOf(folder)(file) && isTest(file));
  const others = readSourceFiles("test/**/*.{ts,tsx}").filter(
    ({ path }) => ofWeb.test(path) === (folder === "web"),
  );
  return (countLines([...own, ...others]) / countLines(product.filter(isOf(folder)))).toFixed(2);
}

/** The areas that each area imports. */
function mapAreas(): Map<string, Set<string>> {
  const areaOf = (path: string) => (moduleOf(path) === null ? undefined : path.split("/")[1]);
  const imported = new Map(Object.keys(areas).map((area) => [area, new Set<string>()]));
  for (const { path, imports } of product) {
    const own = areaOf(path);
    for (const other of imports.map(areaOf))
      if (own !== undefined && other !== undefined && other !== own) imported.get(own)?.add(other);
  }
  return imported;
}

/** Length of the longest chain of areas that import each other. */
function countLevels(imported: ReadonlyMap<string, ReadonlySet<string>>): number {
  const levelOf = (area: string): number =>
    1 + Math.max(0, ...[...(imported.get(area) ?? [])].map(levelOf));
  return Math.max(...[...imported.keys()].map(levelOf));
}

const importedAreas = mapAreas();

const seed = 26;
const sampleSize = 40;

/** Returns a generator of random numbers from 0 to 1, deterministic for a seed (mulberry32). */
function createRandom(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function listComments(): string[] {
  const pattern = /^[ \t]*\/\*\*?[\s\S]*?\*\/|(?:^[ \t]*\/\/.*\n)+/gm;
  return product.flatMap(({ path, text }) =>
    [...text.matchAll(pattern)].map(([comment]) => {
      const words = comment.replace(/^[ \t]*(?:\/\*\*?|\*\/|\*|\/\/) ?|\*\/$/gm, "");
      return `${path}: ${words.replace(/\s+/g, " ").trim()}`;
    }),
  );
}

function sampleComments(): string[] {
  const random = createRandom(seed);
  const left = listComments();
  return Array.from({ length: sampleSize }, () => {
    const [comment = ""] = left.splice(Math.floor(random() * left.length), 1);
    return comment;
  });
}

const rows: readonly (readonly [string, string | number])[] = [
  ["product files", product.length],
  ["product files under 25 lines", product.filter(({ lines }) => lines.length < 25).length],
  ["lines of product code", countLines(product)],
  ["lines per product file", Math.round(countLines(product) / product.length)],
  ["CSS lines", countCssLines()],
  ["web: cycles between modules", findModuleCycles(web).length],
  ["web: imports past a public interface", findImportsPastInterface(web).length],
  ["widest public interfaces", findWidestInterface()],
  ["areas", importedAreas.size],
  ["levels of areas", countLevels(importedAreas)],
  ["arrows between areas", [...importedAreas.values()].reduce((sum, { size }) => sum + size, 0)],
  ["product files, lines of src", `${ofServer.length}, ${countLines(ofServer)}`],
  ...walks.map((walk) => [`walk: ${walk.name}`, listFilesOfWalk(walk).length] as const),
  ["members a new kind must fill in", listRequiredMembers().length],
  ["test ÷ source lines, src", shareOfTests("src")],
  ["test ÷ source lines, web", shareOfTests("web")],
];
for (const [name, value] of rows) process.stdout.write(`${name.padEnd(45)} ${value}\n`);
process.stdout.write(`\n${sampleSize} random comments (seed ${seed}):\n`);
for (const comment of sampleComments()) process.stdout.write(`- ${comment}\n`);
