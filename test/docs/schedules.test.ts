import { createService, createWorker, defineOperation } from "async-request-reply";
import { expect, it, onTestFinished, vi } from "vitest";
import * as z from "zod";
import { blocksOf, page } from "../support/pages.js";

type Job = (context: { readonly date: Date }) => Promise<void>;

/** Runs the block of the page about cron libraries, and returns the job that it schedules. */
function scheduledJob(names: { readonly service: unknown; readonly reports: unknown }): Job {
  const block = blocksOf(page("docs/in-process.md"), "ts").find(({ text }) => text.startsWith("cron."));
  const jobs: Job[] = [];
  const cron = { schedule: (_: string, job: Job) => jobs.push(job) };
  new Function("cron", "service", "reports", block?.text ?? "")(cron, names.service, names.reports);
  return jobs[0] ?? expect.unreachable("the page has no block that schedules a job");
}

it("a job of a cron library runs once a night in all processes, also where 3 o'clock is midnight in UTC", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const reports = defineOperation({
    name: "reports",
    path: "/reports",
    input: z.object({ scheduled: z.iso.datetime() }),
  });
  const service = createService({ definitions: [reports], observe: false });
  const nights: string[] = [];
  const worker = createWorker(service, {
    reports: ({ scheduled }) => {
      nights.push(scheduled);
    },
  });
  const job = scheduledJob({ service, reports });
  const scheduled = [21, 22, 23].map((day) => new Date(Date.UTC(2026, 10, day)));
  // The timer of one process fires early by its clock, and that of another one late.
  for (const date of scheduled)
    for (const ms of [-1, 20]) {
      vi.setSystemTime(date.getTime() + ms);
      await job({ date });
    }
  await worker.runUntilIdle();
  expect(nights.sort()).toEqual(scheduled.map((date) => date.toISOString()));
  await service.close();
});
