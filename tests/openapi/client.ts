// A client made from the OpenAPI document: compiles only while paths, parameters and answers agree
// with it.
import createClient from "openapi-fetch";
import type { components, paths } from "./generated/api.js";

const api = createClient<paths>({ baseUrl: "http://127.0.0.1:8417" });

type Row = components["schemas"]["ResultRow"];

function describe(row: Row): string {
  const value = row.primary;
  if (value === null) return `${row.implementation.name}: nothing measured`;
  const spread = value.uncertainty === null ? "" : ` [${value.uncertainty.low}, ${value.uncertainty.high}]`;
  return `${row.rank ?? "-"} ${row.implementation.name} ${value.value}${spread} ${value.unit} ${value.statistic}`;
}

export async function fastest(query: string): Promise<string[]> {
  const { data, error } = await api.GET("/api/v1/search", { params: { query: { q: query, limit: 10 } } });
  if (error !== undefined) throw new Error(`${error.code}: ${error.detail}`);
  return data.groups.exact.map(describe);
}

export async function resolve(m: number): Promise<string> {
  const { data, error } = await api.POST("/api/v1/resolve/kernel", {
    body: { operation: { name: "gemm-n4096-k4096", axes: { m } }, policy: { minimumTrust: "reported" }, limit: 5 },
  });
  if (error !== undefined) throw new Error(error.title);
  const mode: "exact" | "operation_only" | "nearest" | "chooser" | "model" | "browse" | "none" = data.mode;
  return mode;
}

export async function everyRun(): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const { data } = await api.GET("/api/v1/runs", { params: { query: { limit: 200, cursor } } });
    if (data === undefined) break;
    ids.push(...data.runs.map((run) => run.id));
    cursor = data.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return ids;
}

export async function comparable(runs: string[]): Promise<boolean> {
  const { data } = await api.POST("/api/v1/compare", { body: { runs } });
  const dossier = await api.GET("/api/v1/runs/{run}", { params: { path: { run: runs[0] ?? "" } } });
  const rank: number | null | undefined = dossier.data?.cohort.rank;
  // @ts-expect-error: a member that the document does not have
  dossier.data?.fastest;
  // @ts-expect-error: a sort that the document does not have
  await api.GET("/api/v1/records", { params: { query: { sort: "best" } } });
  return data?.comparable === true && rank !== undefined;
}
