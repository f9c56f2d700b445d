import { Type } from "typebox";
import { findStem, searchSections } from "../../pages/docs/guide.ts";
import { Filled } from "../../platform/http/schema.ts";
import { clipText } from "../../platform/text/clip.ts";
import { defineReadTool } from "../tool.ts";
import { SearchDocsSchema } from "../tool-shapes/directory-data.ts";
import { limitSources, linkSource } from "./sources.ts";

const maxSections = 5;
const maxTextLength = 600;

/** Returns the part of a section that starts with the first sentence about the query. */
export function cutSection(text: string, query: string): string {
  const plain = text.replaceAll(/\s+/g, " ").trim();
  const stems =
    query
      .toLowerCase()
      .match(/[\p{L}\p{N}]{3,}/gu)
      ?.map(findStem) ?? [];
  const sentences = plain.split(/(?<=[.!?:]) (?=\p{Lu})/u);
  const about = sentences.findIndex((one) =>
    stems.some((stem) => one.toLowerCase().includes(stem)),
  );
  return clipText(sentences.slice(Math.max(0, about)).join(" "), maxTextLength);
}

export const searchDocsTool = defineReadTool({
  name: "search_docs",
  title: "Search the docs",
  description:
    "Sections of the docs about a few words: how something is done, and what a word means.",
  InputSchema: Type.Object(
    { query: Filled({ maxLength: 200, description: "Words to look for." }) },
    { additionalProperties: false },
  ),
  DataSchema: SearchDocsSchema,
  run: async (context, _caller, { query }) => {
    const hits = searchSections(context.listDocSections(), query).slice(0, maxSections);
    const sections = hits.map(({ page, title, text }) => ({
      page,
      title,
      text: cutSection(text, query),
    }));
    const sources = hits.map(({ address, title }) =>
      linkSource(context, { id: address, label: title, path: address }),
    );
    return { data: { sections }, sources: limitSources(sources) };
  },
});
