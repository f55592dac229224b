import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { Request, Response } from 'express';
import { pageHeaders } from './pages/page.js';
import { problemPage } from './pages/problem.page.js';

/** Who comes to a wrong address has a browser and gets a page; the API goes on answering in JSON. */
@Catch(HttpException)
export class ProblemFilter implements ExceptionFilter {
  catch(exception: HttpException, host: ArgumentsHost): void {
    const { path } = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>().status(exception.getStatus());
    if (path.startsWith('/api/')) response.json(exception.getResponse());
    else response.set(pageHeaders).send(problemPage(exception.getStatus(), path));
  }
}
