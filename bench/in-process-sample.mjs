// The process of one sample without sockets: `node bench/in-process-sample.mjs <goal> <title> <subject>`. Sends the sample to its
// parent. In a shared process, V8 would compile the code of each subject for the objects of all others.
import { inProcessBenches } from "./in-process.mjs";
import { sampleFunction } from "./measure.mjs";

const SAMPLE_MS = 500;

const [goal, title, name] = process.argv.slice(2);
const tables = await inProcessBenches[goal]();
const { subjects } = tables.find((table) => table.title === title);
const subject = subjects.find((candidate) => candidate.name === name);
subject.check?.(await subject.begin()([subject.input()]));
process.send(await sampleFunction(subject, SAMPLE_MS));
process.disconnect();
