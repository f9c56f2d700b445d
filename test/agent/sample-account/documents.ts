import type { ToolName } from "../../../src/agent/tool-shapes/tool-data.ts";
import { cutSection } from "../../../src/agent/tools/docs-tools.ts";
import { readLibrary } from "../../../src/app/docs-routes.ts";
import { searchSections } from "../../../src/pages/docs/guide.ts";
import { id } from "./checks.ts";

export interface ToolCall {
  readonly tool: ToolName;
  readonly input: Readonly<Record<string, unknown>>;
}

const source = (sourceId: string, label: string) => ({
  id: sourceId,
  label,
  url: `https://vedette.test/v1/${sourceId.replaceAll("#", "/")}`,
});

/** Escalation policies, and the real docs. */
export const documentAnswers = {
  list_escalation_policies: () => ({
    data: {
      policies: [
        {
          policyId: id(851),
          name: "Network first",
          steps: [{ afterMinutes: 5, targets: ["Primary (schedule)"] }],
          rounds: 2,
          usesFallback: true,
        },
      ],
      isTruncated: false,
    },
    sources: [source(id(851), "Network first")],
  }),
  search_docs: ({ query }: Readonly<Record<string, unknown>>) => {
    const sections = [...readLibrary().values()].flatMap((guide) => guide.sections);
    const hits = searchSections(sections, String(query)).slice(0, 5);
    return {
      data: {
        sections: hits.map(({ page, title, text }) => ({
          page,
          title,
          text: cutSection(text, String(query)),
        })),
      },
      sources: hits.map(({ address, title }) => source(address, title)),
    };
  },
};
