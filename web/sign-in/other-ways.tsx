import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { hasPasskeys } from "../api/passkey-client.ts";
import { Stack } from "../parts/layout.tsx";
import { PasskeyButton } from "./passkey-button.tsx";
import { waysQuery } from "./queries.ts";
import { words } from "./words.ts";

interface OtherWaysProps {
  readonly returnTo: string;
  readonly onSignedIn: () => void;
}

/** Alternatives to the password that the server and this browser support. */
export function OtherWays({ returnTo, onSignedIn }: OtherWaysProps) {
  const { data: ways } = useQuery(waysQuery);
  if (ways === undefined) return null;
  const { oidc, passkey } = ways;
  const offersPasskey = passkey.isUsable && hasPasskeys();
  if (oidc === null && !offersPasskey) return null;
  return (
    <Stack gap={4}>
      {offersPasskey && <PasskeyButton onSignedIn={onSignedIn} />}
      {oidc && (
        <Button
          component="a"
          href={`${oidc.path}?${new URLSearchParams({ return: returnTo })}`}
          variant="default"
          fullWidth
        >
          {words.provider(oidc.name)}
        </Button>
      )}
    </Stack>
  );
}
