import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { createLazyRoute, Link, useLocation, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { hasPasskeys } from "../api/passkey-client.ts";
import { Stack } from "../parts/layout.tsx";
import { Card } from "./card.tsx";
import { ChooseStep } from "./choose-step.tsx";
import { ForgottenStep } from "./forgotten-step.tsx";
import { readChallenge, readToken } from "./fragment.ts";
import { LinkStep } from "./link-step.tsx";
import { PasskeyButton } from "./passkey-button.tsx";
import { PasswordForm } from "./password-form.tsx";
import { type Challenge, useEnter, waysQuery } from "./queries.ts";
import { SecondFactorStep } from "./second-factor-step.tsx";
import { words } from "./words.ts";

interface OtherWaysProps {
  readonly returnTo: string;
  readonly onSignedIn: () => void;
}

/** Alternatives to the password that the server and this browser support. */
function OtherWays({ returnTo, onSignedIn }: OtherWaysProps) {
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

function FirstStep({ returnTo }: { readonly returnTo: string }) {
  const enter = useEnter();
  const [challenge, setChallenge] = useState<Challenge | null>(() =>
    // Read from `location`, because the router would decode it.
    readChallenge(location.hash),
  );
  const goOn = () => void enter(returnTo);
  if (challenge !== null) {
    return (
      <Card title={words.factor.title}>
        <SecondFactorStep challenge={challenge} onSignedIn={goOn} />
      </Card>
    );
  }
  return (
    <Card title={words.title}>
      <PasswordForm onSignedIn={goOn} onChallenge={setChallenge}>
        <p>
          <Link to="/sign-in" search={(search) => ({ ...search, step: "forgotten" })}>
            {words.forgotten}
          </Link>
        </p>
      </PasswordForm>
      <OtherWays returnTo={returnTo} onSignedIn={goOn} />
    </Card>
  );
}

function SignInScreen() {
  const search = useSearch({ from: "/sign-in" });
  const { hash } = useLocation();
  const token = readToken(hash, "link");
  const returnTo = search.return ?? "/";
  if (token !== null) return <LinkStep token={token} />;
  if (search.step === "password") return <ChooseStep returnTo={returnTo} />;
  if (search.step === "forgotten") return <ForgottenStep />;
  return <FirstStep returnTo={returnTo} />;
}

export const route = createLazyRoute("/sign-in")({ component: SignInScreen });
