import { formatBytes } from "../../parts/figures.ts";
import { Stack } from "../../parts/layout.tsx";
import textStyles from "../../parts/text.module.css";
import type { TrialViewProps } from "../kind.ts";
import styles from "./run-parts.module.css";
import { Facts, ForeignText, HeaderFields } from "./run-parts.tsx";
import { words } from "./words.ts";

/** Returns the HTTP response of an API or URL run, or `null` if there was none. */
function readAnswer({ urlCheckResult, apiCheckResult }: TrialViewProps["run"]) {
  if (urlCheckResult) {
    const { response } = urlCheckResult;
    return response.status === null ? null : { ...response, bodyError: response.bodyFault };
  }
  return apiCheckResult?.response ?? null;
}

/** Shows status, headers and body of an HTTP response. */
export function HttpAnswer({ run }: TrialViewProps) {
  const answer = readAnswer(run);
  if (answer === null) return null;
  const headers = answer.headers ?? {};
  const count = Object.keys(headers).length;
  const body = answer.bodyError ?? answer.body ?? "";
  return (
    <Stack className={styles.answer}>
      <Facts
        facts={[
          [words.status, `${answer.status} ${answer.statusText}`.trim()],
          [words.url, answer.url],
          [words.size, formatBytes(answer.bytesReceived)],
        ]}
      />
      {count > 0 && (
        <details>
          <summary>{words.headerCount(count)}</summary>
          <HeaderFields headers={headers} />
        </details>
      )}
      <details open>
        <summary>{words.body}</summary>
        {body === "" ? (
          <p className={textStyles.muted}>{words.emptyBody}</p>
        ) : (
          <ForeignText label={words.body} text={body} />
        )}
        {answer.isBodyCut && <p className={textStyles.muted}>{words.bodyCut}</p>}
      </details>
    </Stack>
  );
}
