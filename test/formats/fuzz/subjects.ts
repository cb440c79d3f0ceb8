import { jsonSubject } from "./json-subject.js";
import type { FuzzSubject } from "./subject.js";
import { xmlSubject } from "./xml-subject.js";
import { yamlSubject } from "./yaml-subject.js";
import { yangSubjects } from "./yang-subjects.js";

/** All fuzzed formats. */
export const subjects: readonly FuzzSubject[] = [jsonSubject, yamlSubject, xmlSubject, ...yangSubjects];
