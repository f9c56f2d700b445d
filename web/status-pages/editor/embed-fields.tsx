import { useQuery } from "@tanstack/react-query";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Stack } from "../../parts/layout.tsx";
import textStyles from "../../parts/text.module.css";
import type { StatusPage } from "../page-types.ts";
import { overviewsQuery } from "../queries.ts";
import styles from "./look.module.css";
import { listSnippets } from "./snippets.ts";
import { words } from "./words.ts";

/** Snippets that show the state of the page on other sites. */
export function EmbedFields({ page }: { readonly page: StatusPage }) {
  const { data: overviews } = useQuery(overviewsQuery);
  const address = overviews?.get(page.id)?.address;
  if (page.isPrivate) return <p className={textStyles.hint}>{words.embedPrivate}</p>;
  if (address === undefined) return null;
  const snippets = listSnippets(page.name, address);
  return (
    <Stack align="start" className={styles.embeds}>
      <img src={`/status/${page.url}/badge.svg`} alt={words.badge} />
      {(Object.keys(snippets) as (keyof typeof snippets)[]).map((kind) => (
        <div key={kind} className={styles.embed}>
          <span className={textStyles.strong}>{words[kind]}</span>
          <code>{snippets[kind]}</code>
          <CopyButton text={snippets[kind]} name={words.copy(words[kind])} />
        </div>
      ))}
    </Stack>
  );
}
