import { CopyButton } from "../../parts/copy-button.tsx";
import { toCreation, writeBadge, writeCurl } from "./as-code.ts";
import styles from "./lists.module.css";
import type { AnyCheck } from "./queries.ts";
import { words } from "./words.ts";

const { code: said } = words;

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
      <p className={styles.quiet}>{said.key}</p>
      <Snippet title={said.read} text={read} />
      <Snippet title={said.status} text={status} />
      <Snippet title={said.create} text={create} />
      <Snippet title={said.badge} text={writeBadge(check.name, badge)} />
      <p className={styles.quiet}>
        <img className={styles.badge} src={badge} alt={said.badgeOf(check.name)} /> {said.badgeHint}
      </p>
      <p className={styles.quiet}>{said.masked}</p>
      <Snippet title={said.json} text={JSON.stringify(check, null, 2)} />
    </>
  );
}
