import { Button, NumberInput, Switch } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useRouter } from "@tanstack/react-router";
import { type FormEvent, useCallback, useMemo } from "react";
import { ApiError } from "../api/api-error.ts";
import { api, send } from "../api/client.ts";
import type { paths } from "../api/schema.d.ts";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { faultBeside, faultOf } from "../parts/field-fault.ts";
import { showNotice } from "../parts/notices.tsx";
import { useDraft } from "../parts/use-draft.ts";
import { aboutQuery } from "../settings/queries.ts";
import styles from "./alerts.module.css";
import { ConfigFields } from "./config-fields.tsx";
import { sendConnectAll } from "./connect-all.tsx";
import { type Channel, type ChannelKind, channelsQuery, checkCountQuery } from "./queries.ts";
import {
  type Config,
  type JsonSchema,
  listFields,
  withoutSecrets,
  writeConfig,
} from "./schema-fields.ts";
import { TestResult } from "./test-result.tsx";
import { words } from "./words.ts";

const own = words.channel;
const switches = ["sendFailure", "sendRecovery", "sendDegraded", "sslExpiry"] as const;

export interface ChannelDraft {
  readonly config: Config;
  readonly sendFailure: boolean;
  readonly sendRecovery: boolean;
  readonly sendDegraded: boolean;
  readonly sslExpiry: boolean;
  readonly sslExpiryThreshold: number;
  readonly autoSubscribe: boolean;
  readonly digest: boolean;
  /** Of the state it was made from; null: a new channel. */
  readonly etag: string | null;
  /** Of a new channel: send the alerts of all existing checks here; null: on for the first one. */
  readonly connectsAll?: boolean | null;
}

const newDraft: ChannelDraft = {
  config: {},
  sendFailure: true,
  sendRecovery: true,
  sendDegraded: false,
  sslExpiry: false,
  sslExpiryThreshold: 30,
  // Somebody who adds a channel wants to be told of what is added later too.
  autoSubscribe: true,
  digest: true,
  etag: null,
};

function startFrom(channel: Channel, etag: string | null): ChannelDraft {
  const { sendFailure, sendRecovery, sendDegraded } = channel;
  const { sslExpiry, sslExpiryThreshold, autoSubscribe, digest } = channel;
  const wanted = { sendFailure, sendRecovery, sendDegraded };
  const config: Config = { ...channel.config };
  return { config, ...wanted, sslExpiry, sslExpiryThreshold, autoSubscribe, digest, etag };
}

type BodyOf<Path extends "/v1/alert-channels" | "/v1/alert-channels/test"> =
  paths[Path]["post"]["requestBody"]["content"]["application/json"];
type Body = BodyOf<"/v1/alert-channels">;

/** The kinds differ in `config` alone, which the API judges by the schema the form was drawn from. */
function toBody(type: string, config: Config, draft: ChannelDraft): Body {
  const { etag: _etag, connectsAll: _connectsAll, ...wanted } = draft;
  return { ...wanted, type, config } as unknown as Body;
}

function WantedFields({ draft, error, onChange }: WantedFieldsProps) {
  return (
    <fieldset className={styles.entries}>
      <legend>{own.sends}</legend>
      {switches.map((name) => (
        <Switch
          key={name}
          label={own[name]}
          checked={draft[name]}
          onChange={(event) => onChange({ ...draft, [name]: event.currentTarget.checked })}
        />
      ))}
      {draft.sslExpiry && (
        <NumberInput
          label={own.sslDays}
          value={draft.sslExpiryThreshold}
          min={1}
          max={30}
          error={faultOf(error, "sslExpiryThreshold")}
          onChange={(days) => onChange({ ...draft, sslExpiryThreshold: Number(days) })}
        />
      )}
      <Switch
        label={own.digest}
        checked={draft.digest}
        onChange={(event) => onChange({ ...draft, digest: event.currentTarget.checked })}
      />
      <Switch
        label={own.autoSubscribe}
        checked={draft.autoSubscribe}
        onChange={(event) => onChange({ ...draft, autoSubscribe: event.currentTarget.checked })}
      />
    </fieldset>
  );
}

interface WantedFieldsProps {
  readonly draft: ChannelDraft;
  readonly error: unknown;
  readonly onChange: (draft: ChannelDraft) => void;
}

interface ConnectSwitchProps {
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

/** A channel that is created after the checks would otherwise be connected to nothing. */
function ConnectSwitch({ isOn, onChange }: ConnectSwitchProps) {
  const { data: count = 0 } = useQuery(checkCountQuery);
  if (count === 0) return null;
  return (
    <Switch
      label={own.connectAll(count)}
      checked={isOn}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}

/** What this server lacks for a kind, before somebody wonders why nothing arrives. */
function Lack({ type }: { readonly type: string }) {
  const { data } = useQuery(aboutQuery);
  if (data === undefined) return null;
  const { mail, textMessages } = data.canSend;
  if (type === "EMAIL" && !mail) return <p className={styles.warning}>{own.mailMissing}</p>;
  if (type === "SMS" && !textMessages) return <p className={styles.warning}>{own.smsMissing}</p>;
  return null;
}

interface ChannelFormProps {
  readonly kind: ChannelKind;
  readonly stored: { readonly channel: Channel; readonly etag: string | null } | null;
  readonly onReload: () => void;
}

/** The channel is there even if the checks could not be connected: its screen offers it again. */
async function createChannel(body: Body, connectsAll: boolean) {
  const channel = await send(api.POST("/v1/alert-channels", { body }));
  if (!connectsAll) return channel;
  await sendConnectAll(channel.id, true).catch((error: Error) =>
    showNotice({ text: own.notConnected(error.message), tone: "bad" }),
  );
  return channel;
}

/** Test and save send the same body. */
function useChannelForm({ kind, stored }: Pick<ChannelFormProps, "kind" | "stored">) {
  const router = useRouter();
  const queryClient = useQueryClient();
  const { type } = kind;
  const fields = useMemo(
    () => listFields(kind.configSchema as JsonSchema, kind.secretFields, kind.type),
    [kind],
  );
  const clean = useCallback(
    (one: ChannelDraft) => ({ ...one, config: withoutSecrets(fields, one.config) }),
    [fields],
  );
  const start = stored === null ? newDraft : startFrom(stored.channel, stored.etag);
  const id = stored?.channel.id;
  const [draft, setDraft, forget] = useDraft(`channel.${id ?? type}`, start, clean);
  const body = toBody(type, writeConfig(fields, draft.config), draft);
  const { data: channels } = useQuery(channelsQuery);
  const connectsAll = id === undefined && (draft.connectsAll ?? channels?.length === 0);
  const test = useMutation({
    mutationFn: () =>
      send(
        api.POST("/v1/alert-channels/test", {
          body: { ...body, ...(id !== undefined && { id }) } as BodyOf<"/v1/alert-channels/test">,
        }),
      ),
  });
  const save = useMutation({
    mutationFn: () =>
      id === undefined
        ? createChannel(body, connectsAll)
        : send(
            api.PUT("/v1/alert-channels/{id}", {
              params: {
                path: { id },
                header: draft.etag === null ? {} : { "if-match": draft.etag },
              },
              body,
            }),
          ),
    onSuccess: async (saved) => {
      forget();
      if (id !== undefined) showNotice({ text: own.saved });
      await queryClient.invalidateQueries({ queryKey: ["alert-channels"] });
      if (id !== undefined) return router.navigate({ to: "/alerts/channels" });
      const params = { channelId: String(saved.id) };
      return router.navigate({
        to: "/alerts/channels/$channelId",
        params,
        search: { saved: true },
      });
    },
  });
  return { fields, draft, setDraft, forget, test, save, connectsAll };
}

/** Test and save show faults at the same fields. */
export function ChannelForm({ kind, stored, onReload }: ChannelFormProps) {
  const form = useChannelForm({ kind, stored });
  const { fields, draft, setDraft, forget, test, save } = form;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    test.reset();
    save.mutate();
  };
  const tryOut = () => {
    save.reset();
    test.mutate();
  };
  const error = save.error ?? test.error;
  const isOverruled = error instanceof ApiError && error.status === 412;
  const shownKeys = [...fields.map(({ key }) => `config.${key}`), "sslExpiryThreshold"];
  const beside = isOverruled ? null : faultBeside(error, shownKeys);
  return (
    <form className={styles.form} onSubmit={submit}>
      <Lack type={kind.type} />
      <ConfigFields
        fields={fields}
        config={draft.config}
        error={error}
        onChange={(config) => setDraft({ ...draft, config })}
      />
      <WantedFields draft={draft} error={error} onChange={setDraft} />
      {stored === null && (
        <ConnectSwitch
          isOn={form.connectsAll}
          onChange={(connectsAll) => setDraft({ ...draft, connectsAll })}
        />
      )}
      {test.data && <TestResult result={test.data} />}
      {beside && <ErrorPanel error={beside} />}
      {isOverruled && (
        <div className={styles.warning} role="alert">
          <p>{own.changedMeanwhile}</p>
          <Button
            variant="default"
            onClick={() => {
              forget();
              onReload();
            }}
          >
            {own.loadAgain}
          </Button>
        </div>
      )}
      <div className={styles.actions}>
        <Button variant="default" loading={test.isPending} onClick={tryOut}>
          {own.test}
        </Button>
        <Button type="submit" loading={save.isPending}>
          {own.save}
        </Button>
        <Link to="/alerts/channels" onClick={forget}>
          {own.all}
        </Link>
      </div>
    </form>
  );
}
