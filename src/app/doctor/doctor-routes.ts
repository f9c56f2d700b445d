import { Type } from "typebox";
import type { Clock } from "../../platform/clock.ts";
import { answers, DateTime, Described, OneOf, OrNull } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { areas, type Diagnosis, type Diagnostic, levels, runDiagnostics } from "./finding.ts";

const DiagnosisSchema = Type.Object(
  {
    level: Described(OneOf([...levels]), "Level of the worst finding."),
    lookedAt: Described(DateTime, "When the diagnosis was made; at most half a minute ago."),
    findings: Type.Array(
      Type.Object({
        area: Described(OneOf([...areas]), "Area of the finding."),
        level: Described(
          OneOf([...levels]),
          "`fail`: something does not work; `warn`: a risk or a future failure; `ok`: no problem.",
        ),
        sentence: Type.String({
          description: "Human-readable description.",
          examples: ["PostgreSQL 18.4 answers."],
        }),
        fix: Described(
          OrNull(Type.String()),
          "Command or setting that fixes it; `null` if there is nothing to do.",
          null,
        ),
      }),
      { description: "All findings, the worst first." },
    ),
  },
  { title: "Diagnosis" },
);

const keptMs = 30_000;

/** Caches the diagnosis for half a minute, because it connects to mail, NATS and DNS servers. */
export function createDoctor(listDiagnostics: () => readonly Diagnostic[], clock: Clock) {
  let known: Promise<Diagnosis & { readonly lookedAt: string }> | null = null;
  let lookedAtMs = 0;
  return () => {
    const nowMs = clock.nowMs();
    if (known !== null && nowMs >= lookedAtMs && nowMs - lookedAtMs < keptMs) return known;
    lookedAtMs = nowMs;
    const lookedAt = clock.now().toISOString();
    known = runDiagnostics(listDiagnostics()).then((diagnosis) => ({ ...diagnosis, lookedAt }));
    return known;
  };
}

export function addDoctorRoutes(
  server: HttpServer,
  examine: ReturnType<typeof createDoctor>,
): void {
  server.get(
    "/v1/doctor",
    {
      config: { access: "admin" },
      schema: {
        tags: ["Service"],
        operationId: "getDiagnosis",
        summary: "Diagnose the installation",
        description:
          "Diagnoses the machine, the database, the network, the backups and the servers, with instructions " +
          "for each problem. `vedette doctor` does the same without a running server. Contains no secret.",
        response: answers({ 200: DiagnosisSchema }),
      },
    },
    async () => {
      const { level, lookedAt, findings } = await examine();
      return { level, lookedAt, findings: [...findings] };
    },
  );
}
