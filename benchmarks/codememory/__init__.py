"""CodeMemory: which earlier work does a task need? Tasks, the systems that are asked, and how their answers are held
against what really changed. Any memory can be plugged in: docs/how-to/measure-a-memory.md."""
