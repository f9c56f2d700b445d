import { Button, NumberInput, Switch } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useRouter } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useMemo } from "react";
import { aboutQuery } from "../api/about.ts";
import { api, send, sendFull } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import type { paths } from "../api/schema.d.ts";
import {
  EditorNotices,
  getFieldError,
  getFormError,
  ifMatch,
  type Naming,
  useEditor,
  type Version,
} from "../editing/index.ts";
import { Callout } from "../parts/blocks.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { EditorForm, FormActions, FormSection } from "../parts/form.tsx";
import { showNotice } from "../parts/notices.tsx";
import { sendConnectAll, TestResult } from "./channel-parts.tsx";
import { ConfigFields } from "./config-fields.tsx";
import { pageTargetsQuery } from "./contacts/queries.ts";
import {
  type Channel,
  type ChannelKind,
  channelsQuery,
  checkCountQuery,
  fetchChannel,
} from "./queries.ts";
import { formatQuietHours, type QuietHours, QuietHoursFields } from "./quiet-hours-fields.tsx";
import {
  type Config,
  type Entry,
  type Field,
  type JsonSchema,
  listFields,
  withoutSecrets,
  writeConfig,
} from "./schema-fields.ts";
import { words } from "./words.ts";

const own = words.channel;
const switches = ["sendFailure", "sendRecovery", "sendDegraded", "sslExpiry"] as const;

interface ChannelValues {
  readonly config: Config;
  readonly sendFailure: boolean;
  readonly sendRecovery: boolean;
  readonly sendDegraded: boolean;
  readonly sslExpiry: boolean;
  readonly sslExpiryThreshold: number;
  readonly autoSubscribe: boolean;
  readonly digest: boolean;
  readonly quietHours: QuietHours | null;
  /**
   * Whether a new channel gets the alerts of all existing checks. `null` until the user decides:
   * the default is yes for the first channel of an account, and no for any other.
   */
  readonly connectsAll: boolean | null;
}

const newChannel: ChannelValues = {
  config: {},
  sendFailure: true,
  sendRecovery: true,
  sendDegraded: false,
  sslExpiry: true,
  sslExpiryThreshold: 30,
  // By default, checks that are created later also send their alerts to this channel.
  autoSubscribe: true,
  digest: true,
  quietHours: null,
  connectsAll: null,
};

function toValues(channel: Channel): ChannelValues {
  const { sendFailure, sendRecovery, sendDegraded } = channel;
  const { sslExpiry, sslExpiryThreshold, autoSubscribe, digest } = channel;
  const sends = { sendFailure, sendRecovery, sendDegraded, sslExpiry, sslExpiryThreshold };
  const config: Config = { ...channel.config };
  // Servers of earlier versions return channels without quiet hours.
  const { quietHours = null } = channel;
  return { config, ...sends, autoSubscribe, digest, quietHours, connectsAll: null };
}

type BodyOf<Path extends "/v1/alert-channels" | "/v1/alert-channels/test"> =
  paths[Path]["post"]["requestBody"]["content"]["application/json"];
type Body = BodyOf<"/v1/alert-channels">;

/**
 * Builds the request body. The cast is needed because `config` has a different type for each
 * channel type. The API validates `config` against the schema that the form was built from.
 */
function toBody(type: string, fields: readonly Field[], values: ChannelValues): Body {
  const { connectsAll: _connectsAll, config, ...sends } = values;
  return { ...sends, type, config: writeConfig(fields, config) } as unknown as Body;
}

function WantedFields({ values, error, onChange, children }: WantedFieldsProps) {
  return (
    <FormSection title={own.sends}>
      {switches.map((name) => (
        <Switch
          key={name}
          label={own[name]}
          checked={values[name]}
          onChange={(event) => onChange({ [name]: event.currentTarget.checked })}
        />
      ))}
      {values.sslExpiry && (
        <NumberInput
          label={own.sslDays}
          value={values.sslExpiryThreshold}
          min={1}
          max={30}
          error={getFieldError(error, "sslExpiryThreshold")}
          onChange={(days) => onChange({ sslExpiryThreshold: Number(days) })}
        />
      )}
      <Switch
        label={own.digest}
        checked={values.digest}
        onChange={(event) => onChange({ digest: event.currentTarget.checked })}
      />
      <Switch
        label={own.autoSubscribe}
        checked={values.autoSubscribe}
        onChange={(event) => onChange({ autoSubscribe: event.currentTarget.checked })}
      />
      {children}
    </FormSection>
  );
}

interface WantedFieldsProps {
  readonly values: ChannelValues;
  readonly error: unknown;
  readonly onChange: (change: Partial<ChannelValues>) => void;
  readonly children: ReactNode;
}

interface ConnectSwitchProps {
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

/** Switch that connects a new channel to all existing checks. */
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

/** Warns about missing server settings that a channel type needs. */
function Lack({ type }: { readonly type: string }) {
  const { data } = useQuery(aboutQuery);
  if (data === undefined) return null;
  const { mail, textMessages } = data.canSend;
  if (type === "EMAIL" && !mail)
    return (
      <Callout as="p" tone="fair" align="start">
        {own.mailMissing}
      </Callout>
    );
  if (type === "SMS" && !textMessages)
    return (
      <Callout as="p" tone="fair" align="start">
        {own.smsMissing}
      </Callout>
    );
  return null;
}

interface ChannelFormProps {
  readonly kind: ChannelKind;
  /** Stored channel to edit; `null` for a new channel. */
  readonly stored: Version<Channel> | null;
  /** Whether the user has just created the channel. A panel above the form has its actions then. */
  readonly isNew?: boolean;
  /** Actions on the stored channel. */
  readonly atEnd?: ReactNode;
}

/**
 * Creates a channel and, if requested, connects all checks to it. If connecting fails, the channel
 * still exists, and the user can connect the checks on the channel's screen.
 */
async function createChannel(body: Body, connectsAll: boolean): Promise<Version<Channel>> {
  const created = await sendFull(api.POST("/v1/alert-channels", { body }));
  if (!connectsAll) return created;
  await sendConnectAll(created.data.id, true).catch((error: Error) =>
    showNotice({ text: own.notConnected(error.message), tone: "bad" }),
  );
  return created;
}

function nameFields(fields: readonly Field[]): Naming {
  const keys = [...switches, "digest", "autoSubscribe"] as const;
  return {
    subject: own.subject,
    labels: new Map([
      ...fields.map(({ key, label }) => [`config.${key}`, label] as const),
      ...keys.map((key) => [key, own[key]] as const),
      ["sslExpiryThreshold", own.sslDays],
      ["quietHours", own.quiet.title],
    ]),
    format: (path, value) => {
      if (path === "quietHours") return formatQuietHours(value);
      const shape = fields.find(({ key }) => path === `config.${key}`)?.shape;
      if (shape === "secret") return own.hidden;
      if (shape !== "entries" || !Array.isArray(value)) return undefined;
      const format = ({ key, value: shown, locked }: Entry) =>
        `${key}: ${locked ? own.hidden : shown}`;
      return value.map(format).join(", ");
    },
  };
}

/**
 * Returns the form fields of a channel type. The target of an on-call channel is selected by name
 * instead of id.
 */
function useFields({ type, configSchema, secretFields }: ChannelKind): readonly Field[] {
  const isPage = type === "ONCALL";
  const { data: targets } = useQuery({ ...pageTargetsQuery, enabled: isPage });
  return useMemo(() => {
    const listed = listFields(configSchema as JsonSchema, secretFields, type);
    return listed.map((field) => {
      const labels = isPage ? targets?.get(field.key) : undefined;
      if (labels === undefined) return field;
      return { ...field, shape: "choice" as const, choices: [...labels.keys()], labels };
    });
  }, [configSchema, secretFields, type, isPage, targets]);
}

/** State of the channel form. Test messages and saving use the same request body. */
function useChannelForm({ kind, stored }: Pick<ChannelFormProps, "kind" | "stored">) {
  const router = useRouter();
  const queryClient = useQueryClient();
  const { type } = kind;
  const id = stored?.data.id;
  const fields = useFields(kind);
  const { data: channels } = useQuery(channelsQuery);
  const connects = ({ connectsAll }: ChannelValues) => connectsAll ?? channels?.length === 0;
  const editor = useEditor<Channel, ChannelValues>({
    draftKey: `channel.${id ?? type}`,
    cleanDraft: (values) => ({ ...values, config: withoutSecrets(fields, values.config) }),
    stored,
    initial: newChannel,
    toValues,
    send: (values, version) => {
      const body = toBody(type, fields, values);
      if (version === null) return createChannel(body, connects(values));
      const params = { path: { id: version.data.id }, header: ifMatch(version.etag) };
      return sendFull(api.PUT("/v1/alert-channels/{id}", { params, body }));
    },
    refetch: (channel) => fetchChannel(channel.id),
    onSaved: async ({ data }, isNew) => {
      editor.close();
      if (!isNew) showNotice({ text: own.saved });
      await renewQueries(queryClient, ["alert-channels"]);
      if (!isNew) return router.navigate({ to: "/alerts/channels", ignoreBlocker: true });
      return router.navigate({
        to: "/alerts/channels/$channelId",
        params: { channelId: String(data.id) },
        search: { saved: true },
        ignoreBlocker: true,
      });
    },
  });
  const test = useMutation({
    mutationFn: () => {
      const body = { ...toBody(type, fields, editor.values), ...(id !== undefined && { id }) };
      return send(
        api.POST("/v1/alert-channels/test", { body: body as BodyOf<"/v1/alert-channels/test"> }),
      );
    },
  });
  return { fields, editor, test, connectsAll: connects(editor.values) };
}

/**
 * Form for a channel. Validation errors appear at the fields, both when saving and when sending a
 * test message.
 */
export function ChannelForm({ kind, stored, isNew = false, atEnd }: ChannelFormProps) {
  const { fields, editor, test, connectsAll } = useChannelForm({ kind, stored });
  const { values, change } = editor;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    test.reset();
    editor.save();
  };
  const tryOut = () => {
    editor.clearError();
    test.mutate();
  };
  const error = editor.error ?? test.error;
  const shownKeys = [
    ...fields.map(({ key }) => `config.${key}`),
    ...["sslExpiryThreshold", "quietHours.timeZone", "quietHours.alertChannelId"],
    ...(values.quietHours?.ranges ?? []).flatMap((_, place) =>
      ["days", "from", "to"].map((key) => `quietHours.ranges.${place}.${key}`),
    ),
  ];
  const beside = getFormError(error, shownKeys);
  const hasActions = !isNew || editor.isDirty;
  return (
    <EditorForm onSubmit={submit}>
      <EditorNotices
        editor={editor}
        owned={stored && { type: "alert-channel", id: stored.data.id }}
        {...nameFields(fields)}
      />
      <Lack type={kind.type} />
      {fields.length > 0 && (
        <FormSection title={own.where}>
          <ConfigFields
            fields={fields}
            config={values.config}
            error={error}
            onChange={(config) => change({ config })}
          />
        </FormSection>
      )}
      <WantedFields values={values} error={error} onChange={change}>
        {stored === null && (
          <ConnectSwitch isOn={connectsAll} onChange={(isOn) => change({ connectsAll: isOn })} />
        )}
      </WantedFields>
      <QuietHoursFields
        value={values.quietHours}
        channelId={stored?.data.id}
        error={error}
        onChange={(quietHours) => change({ quietHours })}
      />
      {test.data && <TestResult result={test.data} />}
      {beside && <ErrorPanel error={beside} />}
      <FormActions atEnd={atEnd}>
        <Button type="submit" loading={editor.isSaving}>
          {own.save}
        </Button>
        {hasActions && (
          <Button variant="default" loading={test.isPending} onClick={tryOut}>
            {own.test}
          </Button>
        )}
        {hasActions && <Link to="/alerts/channels">{own.all}</Link>}
      </FormActions>
    </EditorForm>
  );
}
