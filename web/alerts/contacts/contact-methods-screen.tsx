import { Button, NativeSelect, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { createLazyRoute } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { aboutQuery } from "../../api/about.ts";
import { api, type Schemas, send } from "../../api/client.ts";
import { renewQueries } from "../../api/renew-queries.ts";
import { getFieldError, getFormError } from "../../editing/index.ts";
import { Callout } from "../../parts/blocks.tsx";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import { FormLayout, joinClasses, Row, ScreenBody, Stack } from "../../parts/layout.tsx";
import { Skeleton } from "../../parts/loading.tsx";
import { showNotice } from "../../parts/notices.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import tableStyles from "../../parts/table.module.css";
import textStyles from "../../parts/text.module.css";
import { ConfigFields } from "../config-fields.tsx";
import { nameKind } from "../describe-channel.ts";
import { channelKindsQuery } from "../queries.ts";
import { type Config, type JsonSchema, listFields, writeConfig } from "../schema-fields.ts";
import styles from "./contact-methods.module.css";
import { contactWords as words } from "./contact-words.ts";
import { nameMethod } from "./describe-steps.ts";
import { NotificationRules } from "./notification-rules.tsx";
import { contactMethodsQuery, notificationRulesQuery } from "./queries.ts";
import { ShiftPreferences } from "./shift-preferences.tsx";

type Method = Schemas["ContactMethod"];
type ContactType = Exclude<Method["type"], "WEBPUSH">;

const contactTypes: readonly ContactType[] = [
  "NTFY",
  "PUSHOVER",
  "TELEGRAM",
  "SMS",
  "EMAIL",
  "GOTIFY",
  "MATRIX",
  "SIGNAL",
  "APPRISE",
  "WEBHOOK",
];

const sendTest = (id: string) =>
  send(api.POST("/v1/users/me/contact-methods/{id}/test", { params: { path: { id } } }));

/** Form for the verification code from the test message to a contact method. */
function CodeForm({ method }: { readonly method: Method }) {
  const queryClient = useQueryClient();
  const [code, setCode] = useState("");
  const verify = useMutation({
    mutationFn: () =>
      send(
        api.POST("/v1/users/me/contact-methods/{id}/verify", {
          params: { path: { id: method.id } },
          body: { code },
        }),
      ),
    onSuccess: async () => {
      await renewQueries(queryClient, ["contact-methods"]);
      await renewQueries(queryClient, ["notification-rules"]);
      const stored = queryClient.getQueryData(notificationRulesQuery.queryKey);
      const isUsed = stored?.data.high.some(({ methodId }) => methodId === method.id);
      showNotice({ text: isUsed ? words.verified : words.verifiedOnly });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    verify.mutate();
  };
  const beside = getFormError(verify.error, ["code"]);
  return (
    <form onSubmit={submit}>
      <Stack gap={2}>
        <Row gap={3} align="end">
          <TextInput
            label={words.code}
            description={words.codeHint}
            inputMode="numeric"
            autoComplete="one-time-code"
            required
            withAsterisk={false}
            maxLength={20}
            value={code}
            error={getFieldError(verify.error, "code")}
            onChange={(event) => setCode(event.currentTarget.value)}
          />
          <Button type="submit" loading={verify.isPending}>
            {words.confirm}
          </Button>
        </Row>
        {beside && <ErrorPanel error={beside} />}
      </Stack>
    </form>
  );
}

function describeState({ problem, isVerified }: Method): string {
  if (problem !== null) return problem;
  return isVerified ? words.ready : words.unverified;
}

interface MethodRowProps {
  readonly method: Method;
  /** Whether a verification code was sent when the contact method was added. */
  readonly wasSent: boolean;
}

function MethodRow({ method, wasSent }: MethodRowProps) {
  const queryClient = useQueryClient();
  const { id } = method;
  const name = nameMethod(method);
  const test = useMutation({ mutationFn: () => sendTest(id) });
  const remove = useMutation({
    mutationFn: () =>
      send(api.DELETE("/v1/users/me/contact-methods/{id}", { params: { path: { id } } })),
    onSuccess: async () => {
      showNotice({ text: words.removed });
      await renewQueries(queryClient, ["notification-rules"]);
    },
    onError: (error) => showNotice({ text: error.message, tone: "bad" }),
    onSettled: () => renewQueries(queryClient, ["contact-methods"]),
  });
  const isSent = test.data?.outcome === "sent";
  const hasCode = !method.isVerified && (test.data?.hasCode ?? wasSent);
  return (
    <tr>
      <td>
        <strong>
          <bdi>{name}</bdi>
        </strong>{" "}
        {!method.isBuiltIn && <span className={textStyles.muted}>{nameKind(method.type)}</span>}
      </td>
      <td data-label={words.state}>
        <Stack gap={2}>
          <span>{describeState(method)}</span>
          {test.data && (
            <Callout tone={isSent ? "good" : "bad"} role="status">
              <p>
                <strong>{isSent ? words.tested : words.notTested}</strong> {test.data.reason}
              </p>
            </Callout>
          )}
          {test.error && <ErrorPanel error={test.error} />}
          {hasCode && <CodeForm method={method} />}
        </Stack>
      </td>
      <td className={textStyles.end}>
        <Row>
          <Button
            variant="default"
            size="xs"
            loading={test.isPending}
            aria-label={`${words.test}: ${name}`}
            onClick={() => test.mutate()}
          >
            {words.test}
          </Button>
          {!method.isBuiltIn && (
            <Button
              variant="default"
              size="xs"
              loading={remove.isPending}
              aria-label={`${words.remove} ${name}`}
              onClick={() => remove.mutate()}
            >
              {words.remove}
            </Button>
          )}
        </Row>
      </td>
    </tr>
  );
}

interface NewMethodProps {
  readonly onAdded: (id: string) => void;
  readonly onCancel: () => void;
}

function NewMethod({ onAdded, onCancel }: NewMethodProps) {
  const queryClient = useQueryClient();
  const { data: kinds, error: failure, refetch } = useQuery(channelKindsQuery);
  const { data: about } = useQuery(aboutQuery);
  const [type, setType] = useState<ContactType>("NTFY");
  const [config, setConfig] = useState<Config>({});
  const kind = kinds?.find((one) => one.type === type);
  const fields =
    kind === undefined ? [] : listFields(kind.configSchema as JsonSchema, kind.secretFields, type);
  const add = useMutation({
    mutationFn: async () => {
      const body = { type, config: { ...writeConfig(fields, config) } };
      const { id } = await send(api.POST("/v1/users/me/contact-methods", { body }));
      // The contact method is already stored, so a failed test message is only reported. The user
      // can send another test message from the list of contact methods.
      const test = await sendTest(id).catch(() => null);
      await renewQueries(queryClient, ["contact-methods"]);
      if (test?.outcome !== "sent") {
        showNotice({ text: `${words.notTested} ${test?.reason ?? ""}`.trim(), tone: "bad" });
      }
      return { id, hasCode: test?.hasCode ?? false };
    },
    onSuccess: ({ id, hasCode }) => onAdded(hasCode ? id : ""),
  });
  if (failure) return <ErrorPanel error={failure} title={words.loadFailed} onRetry={refetch} />;
  if (kinds === undefined) return <Skeleton rows={3} />;
  const offered = contactTypes.filter((one) => one !== "SMS" || about?.canSend.textMessages);
  const beside = getFormError(add.error, [...fields.map(({ key }) => `config.${key}`)]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate();
  };
  return (
    <FormLayout onSubmit={submit}>
      <NativeSelect
        label={words.type}
        value={type}
        onChange={(event) => {
          const chosen = offered.find((one) => one === event.currentTarget.value);
          if (chosen === undefined) return;
          setType(chosen);
          setConfig({});
          add.reset();
        }}
        data={offered.map((one) => ({ value: one, label: nameKind(one) }))}
      />
      <ConfigFields fields={fields} config={config} error={add.error} onChange={setConfig} />
      {beside && <ErrorPanel error={beside} />}
      <Row>
        <Button type="submit" loading={add.isPending}>
          {words.addAndTest}
        </Button>
        <Button variant="default" onClick={onCancel}>
          {words.cancel}
        </Button>
      </Row>
    </FormLayout>
  );
}

function ContactMethodsScreen() {
  const { data: methods } = useSuspenseQuery(contactMethodsQuery);
  const [isAdding, setAdding] = useState(false);
  const [sentId, setSentId] = useState("");
  return (
    <>
      <PageHeader title={words.title}>
        <p className={textStyles.muted}>{words.intro}</p>
      </PageHeader>
      <ScreenBody className={styles.body}>
        <table className={joinClasses(tableStyles.table, tableStyles.cards)}>
          <thead>
            <tr>
              <th>{words.method}</th>
              <th>{words.state}</th>
              <th>
                <span className="unseen">{words.actions}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {methods.map((method) => (
              <MethodRow key={method.id} method={method} wasSent={method.id === sentId} />
            ))}
          </tbody>
        </table>
        {isAdding ? (
          <NewMethod
            onAdded={(id) => {
              setSentId(id);
              setAdding(false);
            }}
            onCancel={() => setAdding(false)}
          />
        ) : (
          <div>
            <Button variant="default" onClick={() => setAdding(true)}>
              {words.add}
            </Button>
          </div>
        )}
        <NotificationRules methods={methods} />
        <ShiftPreferences />
      </ScreenBody>
    </>
  );
}

export const route = createLazyRoute("/signed-in/settings/contact-methods")({
  component: ContactMethodsScreen,
});
