import { expect, it } from "vitest";
import { playKilledObjects } from "./killed-objects.js";
import { useProject } from "./project.js";

const SEED = Number(process.env.OBJECTS_SEED ?? Date.now() % 1_000_000_000);
const HISTORIES = Number(process.env.OBJECTS_HISTORIES ?? 2_000);
const TENANTS = 50;

const project = useProject();

it(`objects lose nothing and do nothing twice in ${HISTORIES} histories whose process is killed (seed ${SEED})`, async () => {
  const found: string[] = [];
  let submitted = 0;
  for (let seed = SEED; seed < SEED + HISTORIES / TENANTS; seed += 1) {
    const { violations, submissions } = await playKilledObjects(project(), { seed, tenants: TENANTS });
    found.push(...violations);
    submitted += submissions;
  }
  console.log(`${submitted} submissions`);
  expect(found).toEqual([]);
});
