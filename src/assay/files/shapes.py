"""What a document that is read back is made of: a number in it is no text, and a flag no number."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Text = Annotated[str, Field(strict=True)]
Name = Annotated[str, Field(strict=True, min_length=1)]
Flag = Annotated[bool, Field(strict=True)]
Count = Annotated[int, Field(strict=True, ge=0)]
Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Positive = Annotated[float, Field(strict=True, gt=0, allow_inf_nan=False)]
LogLikelihood = Annotated[float, Field(strict=True, le=0, allow_inf_nan=False)]
Tokens = Annotated[int, Field(strict=True, ge=1)]
Share = Annotated[float, Field(strict=True, ge=0, le=1)]


class Shape(BaseModel):
    """An object of such a document. Its checks are built when the first is read."""

    model_config = ConfigDict(defer_build=True)
