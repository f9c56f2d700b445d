import { Button, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api, send } from "../api/client.ts";
import { Fault } from "./fault.tsx";
import type { Challenge } from "./queries.ts";
import styles from "./sign-in.module.css";
import { words } from "./words.ts";

interface SecondFactorStepProps {
  readonly challenge: Challenge;
  readonly onSignedIn: () => void;
}

/** The second step of signing in, for who has set one up. */
export function SecondFactorStep({ challenge, onSignedIn }: SecondFactorStepProps) {
  const { methods, challengeToken } = challenge;
  const hasApp = methods.includes("TOTP");
  const [method, setMethod] = useState<"TOTP" | "RECOVERY_CODE">(hasApp ? "TOTP" : "RECOVERY_CODE");
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
  const other = isApp ? "RECOVERY_CODE" : "TOTP";
  return (
    <form className={styles.form} onSubmit={submit}>
      <TextInput
        key={method}
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
      {methods.includes(other) && (
        <button
          type="button"
          className={styles.linkButton}
          onClick={() => {
            setMethod(other);
            setCode("");
          }}
        >
          {isApp ? words.factor.useRecovery : words.factor.useApp}
        </button>
      )}
    </form>
  );
}
