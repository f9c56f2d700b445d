import { StateMark } from "../parts/state-mark.tsx";
import type { StatusPageOverview } from "./page-types.ts";
import styles from "./status-pages.module.css";
import { words } from "./words.ts";

/** What the page says of itself, in its own words. */
export function PageState({ overview }: { readonly overview: StatusPageOverview | undefined }) {
  if (overview === undefined) return null;
  const { state, sentence, openIncidentCount } = overview;
  if (state === null) return <span className={styles.faint}>{words.noServices}</span>;
  return (
    <span className={styles.state}>
      <StateMark state={state} />
      <span>{sentence}</span>
      {openIncidentCount > 0 && (
        <span className={styles.faint}>{words.openIncidents(openIncidentCount)}</span>
      )}
    </span>
  );
}

/** Only http and https: a page's own domain was typed by a person. */
export function PublicLink({ address }: { readonly address: string }) {
  const shown = address.replace(/^https?:\/\//, "").replace(/\/$/, "");
  if (!/^https?:\/\//.test(address)) return <span>{shown}</span>;
  return (
    <a href={address} target="_blank" rel="noopener noreferrer" className={styles.address}>
      {shown}
      <span className="unseen"> (opens in a new tab)</span>
    </a>
  );
}
