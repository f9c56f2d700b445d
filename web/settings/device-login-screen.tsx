import { Button, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { createLazyRoute, getRouteApi, Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { ApiError } from "../api/api-error.ts";
import { api, type Schemas, send } from "../api/client.ts";
import { useSession } from "../api/session.ts";
import { FactList } from "../parts/blocks.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { FormLayout, Row, ScreenBody, Stack } from "../parts/layout.tsx";
import { Skeleton } from "../parts/loading.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { Ago } from "../parts/time.tsx";
import { deviceLoginQuery } from "./queries.ts";

/** UI text of the screen that signs in a command-line tool. */
const words = {
  title: "Sign in a device",
  code: "Code",
  codeHint: "The code that the command line shows.",
  next: "Continue",
  unknown: "No device waits under this code. Codes expire after ten minutes: start again there.",
  intro: "A command line wants to sign in as you. Confirm only if you started it yourself.",
  user: "Signs in as",
  client: "Program",
  unnamed: "Unknown",
  address: "IP address",
  asked: "Asked",
  confirm: "Sign in the device",
  deny: "Deny",
  approvedTitle: "The device is signed in",
  approved:
    "Return to the command line. Its key is listed under API keys, where you can revoke it.",
  toKeys: "API keys",
  deniedTitle: "The device was denied",
  denied: "It received no key.",
};

const routeApi = getRouteApi("/signed-in/device");

/** Form for the device code, shown if the URL does not contain the code. */
function CodeForm({ error }: { readonly error: string | null }) {
  const navigate = routeApi.useNavigate();
  const [code, setCode] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void navigate({ search: { code: code.trim() } });
  };
  return (
    <FormLayout onSubmit={submit}>
      <TextInput
        label={words.code}
        description={words.codeHint}
        placeholder="BCDF-GHJK"
        value={code}
        error={error}
        maxLength={20}
        autoComplete="off"
        autoFocus
        onChange={(event) => setCode(event.currentTarget.value)}
      />
      <Row>
        <Button type="submit" disabled={code.trim() === ""}>
          {words.next}
        </Button>
      </Row>
    </FormLayout>
  );
}

function Device({ login }: { readonly login: Schemas["DeviceLogin"] }) {
  const { user } = useSession();
  const facts = [
    [words.user, user.name ?? user.email],
    [words.client, login.client || words.unnamed],
    [words.address, login.address],
    [words.asked, <Ago key="asked" at={login.createdAt} />],
  ] as const;
  return (
    <>
      <h2>
        {words.code} <code>{login.userCode}</code>
      </h2>
      <FactList>
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </FactList>
    </>
  );
}

function Answer({ login }: { readonly login: Schemas["DeviceLogin"] }) {
  const answer = useMutation({
    mutationFn: async (isApproved: boolean) => {
      const params = { path: { userCode: login.userCode } };
      if (isApproved) await send(api.POST("/v1/device-logins/{userCode}/approve", { params }));
      else await send(api.POST("/v1/device-logins/{userCode}/deny", { params }));
      return isApproved;
    },
  });
  if (answer.data !== undefined) {
    return (
      <Stack gap={2} role="status">
        <h2>{answer.data ? words.approvedTitle : words.deniedTitle}</h2>
        <p>{answer.data ? words.approved : words.denied}</p>
        <p>
          <Link to="/settings/api-keys">{words.toKeys}</Link>
        </p>
      </Stack>
    );
  }
  return (
    <Stack gap={4}>
      <p>{words.intro}</p>
      <Device login={login} />
      {answer.error && <ErrorPanel error={answer.error} />}
      <Row>
        <Button loading={answer.isPending} onClick={() => answer.mutate(true)}>
          {words.confirm}
        </Button>
        <Button variant="default" disabled={answer.isPending} onClick={() => answer.mutate(false)}>
          {words.deny}
        </Button>
      </Row>
    </Stack>
  );
}

function WaitingLogin({ code }: { readonly code: string }) {
  const { data, error } = useQuery(deviceLoginQuery(code));
  if (data !== undefined) return <Answer login={data} />;
  if (error instanceof ApiError && error.status === 404) return <CodeForm error={words.unknown} />;
  return error === null ? <Skeleton rows={4} /> : <ErrorPanel error={error} />;
}

function DeviceLoginScreen() {
  const { code } = routeApi.useSearch();
  return (
    <>
      <PageHeader title={words.title} />
      <ScreenBody>
        {code === undefined ? <CodeForm error={null} /> : <WaitingLogin code={code} />}
      </ScreenBody>
    </>
  );
}

export const route = createLazyRoute("/signed-in/device")({ component: DeviceLoginScreen });
