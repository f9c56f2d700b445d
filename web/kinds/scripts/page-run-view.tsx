import { formatMs } from "../../parts/figures.ts";
import { listWithKeys } from "../../parts/keys.ts";
import { Row } from "../../parts/layout.tsx";
import textStyles from "../../parts/text.module.css";
import type { TrialViewProps } from "../kind.ts";
import { showControls, showInLine } from "../run-parts/foreign-text.ts";
import { Facts, Part } from "../run-parts/run-parts.tsx";
import { vitals, words } from "./page-words.ts";
import { ScriptRunView } from "./script-run-view.tsx";
import styles from "./scripts.module.css";

type Document = NonNullable<TrialViewProps["run"]["playwrightCheckResult"]>;
type Page = Document["pages"][number];

/**
 * Shows the run of a script in a browser: the same view as for other scripts, and the visited
 * pages.
 */
export function PageRunView({ document }: { readonly document: Document | undefined }) {
  return (
    <ScriptRunView document={document}>
      {document !== undefined && document.pages.length > 0 && (
        <Part title={words.pages}>
          {listWithKeys(document.pages, ({ url }) => url).map(({ key, item }) => (
            <PageView key={key} page={item} />
          ))}
        </Part>
      )}
    </ScriptRunView>
  );
}

const formatScore = (score: number) => String(Math.round(score * 1_000) / 1_000);

function PageView({ page }: { readonly page: Page }) {
  const { url, status, webVitals, consoleErrors, userScriptErrors, networkErrors } = page;
  const errors = [
    ...userScriptErrors.map((text) => [words.pageError, text] as const),
    ...consoleErrors.map((text) => [words.consoleError, text] as const),
    ...networkErrors.map(describeRequest),
  ];
  return (
    <div className={styles.file}>
      <p className={`${textStyles.hint} ${textStyles.mono} ${textStyles.wrap}`}>
        {showInLine(url)}
      </p>
      <Facts
        facts={[
          [words.status, status === null ? null : String(status)],
          ...vitals.map(({ name, good, bad }) => {
            const value = webVitals[name];
            if (value === null) return [words.vitals[name], null] as const;
            const shown = name === "CLS" ? formatScore(value) : formatMs(value);
            return [words.vitals[name], shown + words.rate(value, good, bad)] as const;
          }),
        ]}
      />
      {errors.length === 0 ? (
        <p className={textStyles.muted}>{words.noErrors}</p>
      ) : (
        <ul>
          {listWithKeys(errors, (error) => error.join(" ")).map(({ key, item: [kind, text] }) => (
            <Row as="li" key={key} align="start">
              <span className={styles.level}>{kind}</span>
              <span className={`${styles.logText} ${textStyles.lines}`}>{showControls(text)}</span>
            </Row>
          ))}
        </ul>
      )}
    </div>
  );
}

function describeRequest({ method, url, status, error }: Page["networkErrors"][number]) {
  return [words.requestError, `${status ?? error ?? ""} ${method} ${url}`] as const;
}
