import {
  type ArgumentsHost,
  BadRequestException,
  type CallHandler,
  type CanActivate,
  Catch,
  type ExceptionFilter,
  type ExecutionContext,
  HttpException,
  Injectable,
  type NestInterceptor,
  type PipeTransform,
  type Provider,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { OAuthGuard } from 'nest-oauth2';
import { map, type Observable } from 'rxjs';

/** As strict as a ValidationPipe that forbids what no DTO names, and it transforms what is left. */
@Injectable()
export class StrictPipe implements PipeTransform {
  transform(value: unknown, { type }: { type: string }): unknown {
    if (type === 'custom') return value;
    if (typeof value === 'object' && value !== null && Object.keys(value).length > 0) {
      throw new BadRequestException('property should not exist');
    }
    return { transformed: true };
  }
}

/** Wraps every answer, as many hosts do. */
@Injectable()
export class WrappingInterceptor implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(map((data: unknown) => ({ success: true, data })));
  }
}

/** Answers every failure in its own words. */
@Catch()
export class CatchAllFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const status = error instanceof HttpException ? error.getStatus() : 500;
    const response = host.switchToHttp().getResponse();
    response
      .status(status)
      .send({ success: false, reason: error instanceof HttpException ? error.getResponse() : 'error' });
  }
}

/** Lets in what comes with a header of the host, and keeps count. */
@Injectable()
export class CountingGuard implements CanActivate {
  static count = 0;

  canActivate(): boolean {
    CountingGuard.count += 1;
    return true;
  }
}

/** Everything global that a host can put in the way of an answer. */
export const GLOBAL_ENHANCERS: Provider[] = [
  { provide: APP_PIPE, useClass: StrictPipe },
  { provide: APP_INTERCEPTOR, useClass: WrappingInterceptor },
  { provide: APP_FILTER, useClass: CatchAllFilter },
  { provide: APP_GUARD, useClass: CountingGuard },
  { provide: APP_GUARD, useClass: OAuthGuard },
];
