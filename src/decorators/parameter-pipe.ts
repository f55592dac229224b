import type { PipeTransform, Type } from '@nestjs/common';

/** A pipe, as the decorators of parameters take it: written out, since Nest 11 and 12 have other names for it. */
export type ParameterPipe = PipeTransform | Type<PipeTransform>;
