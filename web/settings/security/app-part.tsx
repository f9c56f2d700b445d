import { Button, Modal, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, lazy, Suspense, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { api, type Schemas, send } from "../../api/client.ts";
import { renewQueries } from "../../api/renew-queries.ts";
import { CopyButton } from "../../parts/buttons.tsx";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import { Row, Stack } from "../../parts/layout.tsx";
import { Skeleton } from "../../parts/loading.tsx";
import { showNotice } from "../../parts/notices.tsx";
import textStyles from "../../parts/text.module.css";
import { DateTime } from "../../parts/time.tsx";
import type { Factors } from "../queries.ts";
import { useProof } from "./proof-dialog.tsx";
import { RecoveryCodesDialog } from "./recovery-codes.tsx";
import styles from "./security.module.css";
import { words } from "./words.ts";

const own = words.app;
const QrCode = lazy(() => import("./qr-code.tsx").then((module) => ({ default: module.QrCode })));

interface SetUpFormProps {
  readonly setUp: Schemas["TotpSetUp"];
  readonly onConfirmed: (codes: readonly string[]) => void;
}

function SetUpForm({ setUp, onConfirmed }: SetUpFormProps) {
  const [code, setCode] = useState("");
  const confirm = useMutation({
    mutationFn: () => {
      const body = { setUpToken: setUp.setUpToken, code };
      return send(api.POST("/v1/users/me/totp/confirm", { body }));
    },
    onSuccess: ({ recoveryCodes }) => onConfirmed(recoveryCodes),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    confirm.mutate();
  };
  const { error } = confirm;
  const isAtCode = error instanceof ApiError && error.validation?.keys.includes("code") === true;
  return (
    <Stack as="form" gap={4} onSubmit={submit}>
      <p>{own.scan}</p>
      <Suspense fallback={<Skeleton rows={5} />}>
        <QrCode text={setUp.otpauthUrl} label={own.qr} />
      </Suspense>
      <p>{own.type}</p>
      <code className={textStyles.code}>{setUp.secret.replaceAll(/(.{4})(?=.)/g, "$1 ")}</code>
      <div>
        <CopyButton text={setUp.secret} />
      </div>
      <TextInput
        label={own.code}
        inputMode="numeric"
        autoComplete="one-time-code"
        required
        withAsterisk={false}
        data-autofocus
        value={code}
        error={isAtCode ? error.message.replace(/^code /, "This ") : undefined}
        onChange={(event) => setCode(event.currentTarget.value)}
      />
      {error && !isAtCode && <ErrorPanel error={error} />}
      <Row justify="end">
        <Button type="submit" loading={confirm.isPending}>
          {own.confirm}
        </Button>
      </Row>
    </Stack>
  );
}

export function AppPart({ factors }: { readonly factors: Factors }) {
  const queryClient = useQueryClient();
  const [setUp, setSetUp] = useState<Schemas["TotpSetUp"] | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const proof = useProof(factors);
  const renew = () => renewQueries(queryClient, ["security"]);
  const begin = () =>
    proof.run({
      run: async (body) => setSetUp(await send(api.POST("/v1/users/me/totp", { body }))),
    });
  const remove = () =>
    proof.run({
      title: own.removeTitle,
      warning: own.removeWarning,
      run: async (body) => {
        await send(api.POST("/v1/users/me/totp/remove", { body }));
        await renew();
        showNotice({ text: own.removed });
      },
    });
  const { totpSince } = factors;
  return (
    <Stack as="section" align="start" aria-labelledby="app-title">
      <h2 id="app-title">{own.title}</h2>
      <Row gap={4} justify="between" className={styles.line}>
        {totpSince === null ? (
          <p className={textStyles.muted}>{own.off}</p>
        ) : (
          <p>
            {own.on} <DateTime at={totpSince} />.
          </p>
        )}
        <Button
          variant={totpSince === null ? "filled" : "default"}
          loading={proof.isBusy}
          onClick={totpSince === null ? begin : remove}
          aria-describedby="app-title"
        >
          {totpSince === null ? own.setUp : own.remove}
        </Button>
      </Row>
      {Boolean(proof.error) && <ErrorPanel error={proof.error} />}
      {proof.dialog}
      <Modal
        opened={setUp !== null}
        onClose={() => setSetUp(null)}
        title={own.dialog}
        closeButtonProps={{ "aria-label": "Close" }}
      >
        {setUp && (
          <SetUpForm
            setUp={setUp}
            onConfirmed={(made) => {
              setSetUp(null);
              setCodes(made);
            }}
          />
        )}
      </Modal>
      <RecoveryCodesDialog
        codes={codes}
        onClose={() => {
          setCodes(null);
          void renew();
        }}
      />
    </Stack>
  );
}
