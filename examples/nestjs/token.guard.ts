/** Verifies tokens for `authorize` of the service and for a guard of controllers. */
import { type CanActivate, type ExecutionContext, Injectable, UnauthorizedException } from "@nestjs/common";

@Injectable()
export class Tokens {
  /** Stands for your sessions, or for JSON Web Tokens. */
  async verify(token: string) {
    return token === "demo-token" ? { id: "ann" } : undefined;
  }
}

@Injectable()
export class TokenGuard implements CanActivate {
  constructor(private readonly tokens: Tokens) {}

  async canActivate(context: ExecutionContext) {
    const request = context.switchToHttp().getRequest();
    const { authorization = "" } = request.headers;
    request.user = await this.tokens.verify(authorization.replace("Bearer ", ""));
    if (request.user === undefined) throw new UnauthorizedException();
    return true;
  }
}
