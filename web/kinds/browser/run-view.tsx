import { DateTime } from "../../parts/time.tsx";
import type { TrialViewProps } from "../kind.ts";
import { showInLine } from "../run-parts/foreign-text.ts";
import { Facts, Part } from "../run-parts/run-parts.tsx";
import { PageRunView } from "../scripts/page-run-view.tsx";
import { words } from "../scripts/page-words.ts";

type Certificate = NonNullable<
  NonNullable<TrialViewProps["run"]["browserCheckResult"]>["certificate"]
>;

export function BrowserRunView({ run }: TrialViewProps) {
  const document = run.browserCheckResult ?? undefined;
  return (
    <>
      <PageRunView document={document} />
      {document?.certificate && <CertificateView certificate={document.certificate} />}
    </>
  );
}

function CertificateView({ certificate }: { readonly certificate: Certificate }) {
  const { host, issuer, expiresAt, error } = certificate;
  return (
    <Part title={words.certificate}>
      <Facts
        facts={[
          [words.host, showInLine(host)],
          [words.issuer, issuer === null ? null : showInLine(issuer)],
          [words.expires, expiresAt === null ? null : <DateTime key="at" at={expiresAt} />],
          [words.notRead, error === null ? null : showInLine(error)],
        ]}
      />
    </Part>
  );
}
