import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { PasskeyError, signInByPasskey } from "../api/passkey-client.ts";
import { KeyIcon } from "../parts/icons.tsx";
import textStyles from "../parts/text.module.css";
import { Fault } from "./fault.tsx";
import { words } from "./words.ts";

interface PasskeyButtonProps {
  /** If set, the passkey is the second factor; otherwise it is the only factor. */
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
