import { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser';
import { parse } from 'yaml';

export const parseYaml = (text) => parse(text, { strict: true, uniqueKeys: true });

export async function findWorkflowErrors(name, content) {
  const { context, value } = parseWorkflow({ name, content }, new NoOperationTraceWriter());
  const { errors = [] } = await convertWorkflowTemplate(context, value);
  return [...context.errors.getErrors().map(({ message }) => message), ...errors.map(({ Message }) => Message)];
}
