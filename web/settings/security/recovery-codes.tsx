import { Button, Modal } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, send } from "../../api/client.ts";
import { renewQueries } from "../../api/renew-queries.ts";
import { CopyButton } from "../../parts/buttons.tsx";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import { Row, Stack } from "../../parts/layout.tsx";
import textStyles from "../../parts/text.module.css";
import type { Factors } from "../queries.ts";
import { useProof } from "./proof-dialog.tsx";
import styles from "./security.module.css";
import { words } from "./words.ts";

const own = words.codes;
const fewCodes = 3;

function download(codes: readonly string[]): void {
  const text = `Vedette: recovery codes for ${location.host}\n\n${codes.join("\n")}\n`;
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = "vedette-recovery-codes.txt";
  link.click();
  // The URL is revoked later, because the browser reads it some time after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

interface RecoveryCodesDialogProps {
  readonly codes: readonly string[] | null;
  readonly onClose: () => void;
}

/**
 * Shows the recovery codes. Only the button closes the dialog, because the codes cannot be shown
 * again.
 */
export function RecoveryCodesDialog({ codes, onClose }: RecoveryCodesDialogProps) {
  return (
    <Modal
      opened={codes !== null}
      onClose={onClose}
      title={own.title}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack gap={4}>
        <p>
          {own.shown} {own.each}
        </p>
        <ul className={styles.codes}>
          {codes?.map((code) => (
            <li key={code}>
              <code>{code}</code>
            </li>
          ))}
        </ul>
        <Row>
          <CopyButton text={(codes ?? []).join("\n")} label={own.copy} />
          <Button variant="default" size="xs" onClick={() => download(codes ?? [])}>
            {own.download}
          </Button>
        </Row>
        <Row justify="end">
          <Button onClick={onClose}>{own.done}</Button>
        </Row>
      </Stack>
    </Modal>
  );
}

export function RecoveryCodesPart({ factors }: { readonly factors: Factors }) {
  const queryClient = useQueryClient();
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const proof = useProof(factors);
  const renew = () =>
    proof.run({
      title: own.renewTitle,
      warning: own.renewWarning,
      run: async (body) => {
        const made = await send(api.POST("/v1/users/me/recovery-codes", { body }));
        setCodes(made.recoveryCodes);
        await renewQueries(queryClient, ["security"]);
      },
    });
  const { recoveryCodesLeft: left, hasSecondFactor } = factors;
  return (
    <Stack as="section" align="start" aria-labelledby="codes-title">
      <h2 id="codes-title">{own.title}</h2>
      {hasSecondFactor ? (
        <Row gap={4} justify="between" className={styles.line}>
          <p>
            {own.left(left)} {left <= fewCodes && own.few}
          </p>
          <Button variant="default" loading={proof.isBusy} onClick={renew}>
            {own.renew}
          </Button>
        </Row>
      ) : (
        <p className={textStyles.muted}>{own.none}</p>
      )}
      {Boolean(proof.error) && <ErrorPanel error={proof.error} />}
      {proof.dialog}
      <RecoveryCodesDialog codes={codes} onClose={() => setCodes(null)} />
    </Stack>
  );
}
