import { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser';
import { parse, parseAllDocuments } from 'yaml';

export const parseYaml = (text) => parse(text, { strict: true, uniqueKeys: true });

export async function findWorkflowErrors(name, content) {
  const { context, value } = parseWorkflow({ name, content }, new NoOperationTraceWriter());
  const { errors = [] } = await convertWorkflowTemplate(context, value);
  return [...context.errors.getErrors().map(({ message }) => message), ...errors.map(({ Message }) => Message)];
}

/** Parses a YAML file with one or more documents. Merge keys (`<<`) are resolved, as Compose does. */
export function parseYamlDocuments(text) {
  return parseAllDocuments(text, { strict: true, uniqueKeys: true, merge: true }).map((document) => {
    for (const error of document.errors) throw error;
    return document.toJS();
  });
}
