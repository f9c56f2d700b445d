import { CopyButton } from "../../parts/buttons.tsx";
import { Row, Stack } from "../../parts/layout.tsx";
import textStyles from "../../parts/text.module.css";
import { toCreation, writeBadge, writeCurl } from "./as-code.ts";
import styles from "./lists.module.css";
import type { AnyCheck } from "./queries.ts";
import { words } from "./words.ts";

const { code: labels } = words;

function Snippet({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <Stack as="section" gap={2} className={styles.code}>
      <Row gap={4}>
        <h2>{title}</h2>
        <CopyButton text={text} />
      </Row>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it must scroll by keyboard */}
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </Stack>
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
      <p className={textStyles.muted}>{labels.key}</p>
      <Snippet title={labels.read} text={read} />
      <Snippet title={labels.status} text={status} />
      <Snippet title={labels.create} text={create} />
      <Snippet title={labels.badge} text={writeBadge(check.name, badge)} />
      <p className={textStyles.muted}>
        <img className={styles.badge} src={badge} alt={labels.badgeOf(check.name)} />{" "}
        {labels.badgeHint}
      </p>
      <p className={textStyles.muted}>{labels.masked}</p>
      <Snippet title={labels.json} text={JSON.stringify(check, null, 2)} />
    </>
  );
}
