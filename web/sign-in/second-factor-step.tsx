import { Button, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api, send } from "../api/client.ts";
import { hasPasskeys, PasskeyError, signInByPasskey } from "../api/passkey-client.ts";
import { LinkButton } from "../parts/buttons.tsx";
import { KeyIcon } from "../parts/icons.tsx";
import { Stack } from "../parts/layout.tsx";
import textStyles from "../parts/text.module.css";
import { Fault } from "./card.tsx";
import type { Challenge } from "./queries.ts";
import { words } from "./words.ts";

interface PasskeyButtonProps {
  /** Challenge of a sign-in with a password. If missing, the passkey is the only factor. */
  readonly challengeToken?: string;
  readonly onSignedIn: () => void;
}

export function PasskeyButton({ challengeToken, onSignedIn }: PasskeyButtonProps) {
  const signIn = useMutation({
    mutationFn: () => signInByPasskey(challengeToken),
    onSuccess: onSignedIn,
  });
  const { error } = signIn;
  return (
    <>
      <Button
        variant="default"
        fullWidth
        leftSection={<KeyIcon size={16} />}
        loading={signIn.isPending}
        onClick={() => signIn.mutate()}
      >
        {words.passkey.use}
      </Button>
      {error instanceof PasskeyError ? (
        <p className={`${textStyles.muted} ${textStyles.wrap}`} role="alert">
          {words.passkey.cancelled}
        </p>
      ) : (
        <Fault error={error} />
      )}
    </>
  );
}

interface SecondFactorStepProps {
  readonly challenge: Challenge;
  readonly onSignedIn: () => void;
}

type Method = "TOTP" | "RECOVERY_CODE";

interface CodeFormProps extends SecondFactorStepProps {
  readonly method: Method;
}

function CodeForm({ challenge, method, onSignedIn }: CodeFormProps) {
  const { challengeToken } = challenge;
  const [code, setCode] = useState("");
  const prove = useMutation({
    mutationFn: () =>
      send(api.POST("/v1/sessions/second-factor", { body: { challengeToken, method, code } })),
    onSuccess: onSignedIn,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    prove.mutate();
  };
  const isApp = method === "TOTP";
  return (
    <Stack as="form" gap={4} onSubmit={submit}>
      <TextInput
        label={isApp ? words.factor.app : words.factor.recovery}
        inputMode={isApp ? "numeric" : "text"}
        autoComplete={isApp ? "one-time-code" : "off"}
        required
        withAsterisk={false}
        autoFocus
        value={code}
        onChange={(event) => setCode(event.currentTarget.value)}
      />
      <Fault error={prove.error} />
      <Button type="submit" fullWidth loading={prove.isPending}>
        {words.factor.go}
      </Button>
    </Stack>
  );
}

/** Second step of the sign-in, for users with a second factor. */
export function SecondFactorStep({ challenge, onSignedIn }: SecondFactorStepProps) {
  const { methods, challengeToken } = challenge;
  const offersPasskey = methods.includes("PASSKEY") && hasPasskeys();
  const first = methods.includes("TOTP") ? "TOTP" : offersPasskey ? null : "RECOVERY_CODE";
  const [method, setMethod] = useState<Method | null>(first);
  const other = method === "RECOVERY_CODE" ? "TOTP" : "RECOVERY_CODE";
  return (
    <Stack gap={4}>
      {method && (
        <CodeForm key={method} challenge={challenge} method={method} onSignedIn={onSignedIn} />
      )}
      {offersPasskey && <PasskeyButton challengeToken={challengeToken} onSignedIn={onSignedIn} />}
      {methods.includes(other) && (
        <LinkButton onClick={() => setMethod(other)}>
          {other === "RECOVERY_CODE" ? words.factor.useRecovery : words.factor.useApp}
        </LinkButton>
      )}
    </Stack>
  );
}
