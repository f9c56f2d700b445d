import { type ImportFile, UnreadableFile } from "../../reading.ts";
import { readTextFile } from "../file-text.ts";

/** A section or subsection with its values and subsections. */
export interface Section {
  readonly name: string;
  readonly values: Map<string, string>;
  readonly sections: Section[];
}

interface SmokepingConfig {
  /** Top-level sections by name, such as `Targets`. */
  readonly sections: ReadonlyMap<string, Section>;
  /** Names of included files that the upload does not contain. */
  readonly missing: readonly string[];
  /** Names of uploaded files that contain no section and are not included by another file. */
  readonly unused: readonly string[];
}

const maxLines = 200_000;
const maxLineLength = 10_000;
const maxDefinitions = 200;
const maxIncludes = 10;
const maxDepth = 30;

interface Line {
  readonly text: string;
  readonly place: string;
}

const include = /^@include\s+(.+)$/;
const baseName = (name: string): string => name.split(/[/\\]/).at(-1)?.trim() ?? "";

/** Splits a file into lines without comments, and joins continued lines. */
function splitLines(text: string, fileName: string): Line[] {
  const lines: Line[] = [];
  let continued = "";
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const place = `${fileName}, line ${index + 1}`;
    if (index >= maxLines) throw new UnreadableFile(`${fileName} has more than ${maxLines} lines.`);
    if (raw.length + continued.length > maxLineLength) {
      throw new UnreadableFile(`${place} is longer than ${maxLineLength} characters.`);
    }
    const line = `${continued}${raw.replace(/#.*$/, "").trim()}`;
    continued = line.endsWith("\\") ? `${line.slice(0, -1).trimEnd()} ` : "";
    if (continued === "" && line !== "") lines.push({ text: line, place });
  }
  if (continued !== "") lines.push({ text: continued.trim(), place: `${fileName}, last line` });
  return lines;
}

/** Replaces `@include` with uploaded files. Never opens included names as paths on the disk. */
class Includes {
  readonly missing: string[] = [];
  readonly #files: ReadonlyMap<string, readonly Line[]>;
  readonly #used = new Set<string>();
  #lines = 0;

  constructor(files: readonly ImportFile[]) {
    this.#files = new Map(
      files.map((file) => [baseName(file.name), splitLines(readTextFile(file), file.name)]),
    );
    if (this.#files.size < files.length) {
      throw new UnreadableFile("Two of the files have the same name.");
    }
    for (const lines of this.#files.values()) {
      for (const { text } of lines) this.#used.add(baseName(include.exec(text)?.[1] ?? ""));
    }
  }

  /** Returns the expanded lines of the files that no other file includes. */
  expandAll(): Line[] {
    const roots = [...this.#files.keys()].filter((name) => !this.#used.has(name));
    if (roots.length === 0) throw new UnreadableFile("The files include each other.");
    return roots.flatMap((name) => this.#expand(name, 0));
  }

  /** Returns the names of files that do not belong to a SmokePing configuration. */
  listUnused(): string[] {
    return [...this.#files].flatMap(([name, lines]) =>
      this.#used.has(name) || lines.some(({ text }) => /^\*\*\*|^@include\s/.test(text))
        ? []
        : [name],
    );
  }

  #expand(name: string, depth: number): Line[] {
    const lines = this.#files.get(name) ?? [];
    if (depth > maxIncludes) throw new UnreadableFile(`${name} is included too deeply.`);
    this.#lines += lines.length;
    if (this.#lines > maxLines) {
      throw new UnreadableFile(`The files have more than ${maxLines} lines.`);
    }
    return lines.flatMap((line) => {
      const [, wanted] = include.exec(line.text) ?? [];
      if (wanted === undefined) return [line];
      const other = baseName(wanted);
      if (this.#files.has(other)) return this.#expand(other, depth + 1);
      this.missing.push(other);
      return [];
    });
  }
}

/** Replaces the names that `@define` sets, in the lines after the definition. */
function* expandDefinitions(lines: readonly Line[]): Generator<Line> {
  const definitions = new Map<string, string>();
  for (const { text, place } of lines) {
    let expanded = text;
    for (const [name, value] of definitions) {
      expanded = expanded.replaceAll(name, () => value);
      if (expanded.length > maxLineLength) {
        throw new UnreadableFile(`${place} is longer than ${maxLineLength} characters.`);
      }
    }
    const [, name = "", value = ""] = /^@define\s+(\S+)\s+(.*)$/.exec(expanded) ?? [];
    if (name === "") yield { text: expanded, place };
    else definitions.set(name, value);
    if (definitions.size > maxDefinitions) {
      throw new UnreadableFile(`${place}: there are more than ${maxDefinitions} definitions.`);
    }
  }
}

const createSection = (name: string): Section => ({ name, values: new Map(), sections: [] });

/** Builds the tree of sections from lines. */
class Tree {
  readonly sections = new Map<string, Section>();
  /** The current section and its open subsections, outermost first. */
  #path: Section[] = [];

  add({ text, place }: Line): void {
    const [, section] = /^\*\*\*\s*(\w+)\s*\*\*\*$/.exec(text) ?? [];
    if (section !== undefined) {
      const opened = this.sections.get(section) ?? createSection(section);
      this.sections.set(section, opened);
      this.#path = [opened];
      return;
    }
    const [, signs, name = ""] = /^(\++)\s*([-\w]+)$/.exec(text) ?? [];
    if (signs !== undefined) this.#open(signs.length, name, place);
    else this.#assign(text);
  }

  #open(depth: number, name: string, place: string): void {
    const parent = this.#path[depth - 1];
    if (parent === undefined || depth > maxDepth) {
      throw new UnreadableFile(`${place}: the subsection ${name} has no section above it.`);
    }
    const opened = createSection(name);
    parent.sections.push(opened);
    this.#path = [...this.#path.slice(0, depth), opened];
  }

  /** Stores a `name = value` line. Lines of tables contain no equals sign and are ignored. */
  #assign(text: string): void {
    const [, name, value = ""] = /^([-\w]+)\s*=\s*(.*)$/.exec(text) ?? [];
    if (name !== undefined) this.#path.at(-1)?.values.set(name, value.trim());
  }
}

export function parseSmokeping(files: readonly ImportFile[]): SmokepingConfig {
  const includes = new Includes(files);
  const tree = new Tree();
  for (const line of expandDefinitions(includes.expandAll())) tree.add(line);
  const unused = includes.listUnused();
  return { sections: tree.sections, missing: [...new Set(includes.missing)], unused };
}
