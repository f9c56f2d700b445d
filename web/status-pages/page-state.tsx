import { StateMark } from "../parts/state-mark.tsx";
import type { StatusPageOverview } from "./page-types.ts";
import styles from "./status-pages.module.css";
import { words } from "./words.ts";

/** The overall state, as shown on the page. */
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

/** Links only http and https addresses, because a custom domain is user input. */
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
