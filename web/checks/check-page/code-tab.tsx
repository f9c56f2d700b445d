import { CopyButton } from "../../parts/copy-button.tsx";
import { toCreation, writeBadge, writeCurl } from "./as-code.ts";
import styles from "./lists.module.css";
import type { AnyCheck } from "./queries.ts";
import { words } from "./words.ts";

const { code: labels } = words;

function Snippet({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <section className={styles.code}>
      <div className={styles.head}>
        <h2>{title}</h2>
        <CopyButton text={text} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </section>
  );
}

/** Shows the check as API requests and JSON. */
export function CodeTab({ check }: { readonly check: AnyCheck }) {
  const { origin } = location;
  const read = writeCurl({ method: "GET", url: `${origin}/v1/checks/${check.id}` });
  const status = writeCurl({ method: "GET", url: `${origin}/v1/check-statuses/${check.id}` });
  const badge = `${origin}/v1/badges/checks/${check.id}`;
  const body = toCreation(check);
  const create = writeCurl({ method: "POST", url: `${origin}/v1/checks`, body });
  return (
    <>
      <p className={styles.quiet}>{labels.key}</p>
      <Snippet title={labels.read} text={read} />
      <Snippet title={labels.status} text={status} />
      <Snippet title={labels.create} text={create} />
      <Snippet title={labels.badge} text={writeBadge(check.name, badge)} />
      <p className={styles.quiet}>
        <img className={styles.badge} src={badge} alt={labels.badgeOf(check.name)} />{" "}
        {labels.badgeHint}
      </p>
      <p className={styles.quiet}>{labels.masked}</p>
      <Snippet title={labels.json} text={JSON.stringify(check, null, 2)} />
    </>
  );
}
