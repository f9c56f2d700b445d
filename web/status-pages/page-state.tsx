import { Row } from "../parts/layout.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import textStyles from "../parts/text.module.css";
import type { StatusPageOverview } from "./page-types.ts";
import styles from "./status-pages.module.css";
import { words } from "./words.ts";

/** The overall state, as shown on the page. */
export function PageState({ overview }: { readonly overview: StatusPageOverview | undefined }) {
  if (overview === undefined) return null;
  const { state, sentence, openIncidentCount } = overview;
  if (state === null) return <span className={styles.faint}>{words.noServices}</span>;
  return (
    <Row as="span" tight>
      <StateMark state={state} />
      <span>{sentence}</span>
      {openIncidentCount > 0 && (
        <span className={styles.faint}>{words.openIncidents(openIncidentCount)}</span>
      )}
    </Row>
  );
}

/** Links only http and https addresses, because a custom domain is user input. */
export function PublicLink({ address }: { readonly address: string }) {
  const shown = address.replace(/^https?:\/\//, "").replace(/\/$/, "");
  if (!/^https?:\/\//.test(address)) return <span>{shown}</span>;
  return (
    <a href={address} target="_blank" rel="noopener noreferrer" className={textStyles.wrap}>
      {shown}
      <span className="unseen"> (opens in a new tab)</span>
    </a>
  );
}
